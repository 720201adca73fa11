/** Messages by postal-mime: who wrote to whom, then the text; attachments are named. */
import PostalMime, { type Address, type Email } from 'postal-mime';
import type { Block, Document } from '../document.ts';
import { DocumentError } from '../document-error.ts';
import type { ParseRequest } from './format.ts';
import { decodeText } from './text-encoding.ts';
import { htmlContent } from './markup/html-blocks.ts';
import { heading, paragraph, unpagedDocument } from './unpaged.ts';

export async function parseEml({ bytes }: ParseRequest): Promise<Document> {
  // Messages are bytes; one that was saved as UTF-16 is text.
  const isWide = bytes[0] === 0xff || bytes[0] === 0xfe;
  const email = await PostalMime.parse(isWide ? decodeText(bytes) : bytes);
  const body = bodyOf(email);
  const facts = factsOf(email);
  if (facts.length === 0 && body.length === 0)
    throw new DocumentError('damaged', 'the message has no text, no subject and no sender');
  const subject = email.subject?.trim() || null;
  const attachments = email.attachments.flatMap(({ filename }) => (filename ? [filename] : []));
  const blocks: Block[] = [
    ...(subject === null ? [] : [heading(1, subject)]),
    ...(facts.length === 0 ? [] : [paragraph(facts.map(([name, value]) => `${name}: ${value}`).join('\n'))]),
    ...body,
    ...(attachments.length === 0 ? [] : [paragraph(`Attachments: ${attachments.join(', ')}`)]),
  ];
  const metadata = Object.fromEntries(facts.map(([name, value]) => [name.toLowerCase(), value]));
  return unpagedDocument({ format: 'eml', title: subject, metadata, blocks });
}

function factsOf(email: Email): readonly (readonly [name: string, value: string])[] {
  const all = (addresses: readonly Address[] | undefined): string =>
    (addresses ?? []).map(addressText).join(', ');
  const facts = [
    ['From', email.from === undefined ? '' : addressText(email.from)],
    ['To', all(email.to)],
    ['Cc', all(email.cc)],
    ['Date', email.date ?? ''],
  ] as const;
  return facts.filter(([, value]) => value !== '');
}

function addressText({ name, address }: Address): string {
  if (!address) return name;
  return name === '' ? address : `${name} <${address}>`;
}

function bodyOf({ text, html }: Email): readonly Block[] {
  if (html !== undefined && html.trim() !== '') return htmlContent(html).blocks;
  return (text ?? '')
    .split(/\r?\n[ \t]*\r?\n/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => paragraph(part));
}
