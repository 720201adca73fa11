/** Which parts a part of an Office file refers to: `_rels/*.rels`. */
import { posix } from 'node:path';
import type { Archive } from './archive.ts';
import { element, elements, parseXml } from './xml.ts';

export interface Relationship {
  readonly id: string;
  /** The last word of its type: `slide`, `notesSlide`, `worksheet`. */
  readonly type: string;
  /** The part's name in the archive. */
  readonly target: string;
}

export async function relationships(archive: Archive, part: string): Promise<readonly Relationship[]> {
  const folder = posix.dirname(part);
  const text = await archive.text(posix.join(folder, '_rels', `${posix.basename(part)}.rels`));
  const root = text === null ? undefined : element(parseXml(text), 'Relationships');
  return (root === undefined ? [] : elements(root, 'Relationship')).map(({ attributes }) => {
    const { Id: id = '', Type: type = '', Target: target = '' } = attributes;
    const isAbsolute = target.startsWith('/');
    return {
      id,
      type: type.slice(type.lastIndexOf('/') + 1),
      target: isAbsolute ? target.slice(1) : posix.normalize(posix.join(folder, target)),
    };
  });
}
