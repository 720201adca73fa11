/** What a dataset keeps of a document's images: each bounded, all of them together too; the rest has its text only. */
import { createHash } from 'node:crypto';
import type { Block, Document, ImageSource } from '../document.ts';
import { keptPicture } from './kept-picture.ts';

const ALL_BYTES_MAX = 64 * 1024 * 1024;

export async function withKeptPictures(document: Document, pixelsMax: number): Promise<Document> {
  const known = new Map<string, ImageSource | null>();
  let total = 0;
  const kept = async ({ bytes }: ImageSource): Promise<ImageSource | null> => {
    const hash = createHash('sha256').update(bytes).digest('hex');
    const picture = known.get(hash) ?? (known.has(hash) ? null : await keptPicture(bytes, pixelsMax));
    known.set(hash, picture);
    total += picture?.bytes.length ?? 0;
    return total > ALL_BYTES_MAX ? null : picture;
  };
  const blocks: Block[] = [];
  for (const block of document.blocks) {
    const isHeld = block.kind === 'image' && block.source !== null;
    blocks.push(isHeld ? { ...block, source: await kept(block.source as ImageSource) } : block);
  }
  return { ...document, blocks };
}
