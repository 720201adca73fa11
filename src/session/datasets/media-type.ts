/** Media types of documents, as passages carry them. Chunks that were stored before they did name their format instead. */

/** Format to the media type that `documents.mime_type` has for it. */
export const FORMAT_MEDIA_TYPES: Readonly<Record<string, string>> = {
  pdf: 'application/pdf',
  png: 'image/png',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  bmp: 'image/bmp',
  tiff: 'image/tiff',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  html: 'text/html',
  eml: 'message/rfc822',
  md: 'text/markdown',
  csv: 'text/csv',
  txt: 'text/plain',
};

/** @param stored `chunks.doc_type`: a media type, or the name of a format. */
export const mediaTypeOf = (stored: string | null): string | null =>
  stored === null ? null : (FORMAT_MEDIA_TYPES[stored] ?? stored);
