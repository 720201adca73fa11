/** Files of every format that ask their reader to open a URL, in each way that the format has. */
import { zip } from '../fixtures/workbook.ts';

/** XML of an Office file may not declare entities. */
export const REFUSED = 'entities.docx';

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';

/** Words of each of them, by which it is found. */
export const SAID = 'Acme moved 12 million containers';

type Url = (name: string) => string;

const markdown = (url: Url): string => `# Ships

${SAID} in 2023. ![picture](${url('picture.png')}) [link](${url('link')}) <${url('autolink')}>

![by reference][far]

[far]: ${url('reference.png')} "far"

<img src="${url('tag.png')}"><link rel="stylesheet" href="${url('style.css')}"><script src="${url('script.js')}"></script>
`;

const html = (url: Url): string => `<!DOCTYPE html SYSTEM "${url('document.dtd')}">
<html manifest="${url('manifest')}"><head><base href="${url('base/')}"><title>Ships</title>
<meta http-equiv="refresh" content="0; url=${url('refresh')}">
<link rel="stylesheet" href="${url('style.css')}"><link rel="preconnect" href="${url('')}"><link rel="icon" href="${url('icon.png')}">
<style>@import url("${url('import.css')}"); body { background: url("${url('background.png')}") }
@font-face { font-family: f; src: url("${url('font.woff2')}") }</style><script src="${url('script.js')}"></script>
<script>fetch("${url('fetched')}"); new Image().src = "${url('image.png')}"</script></head>
<body background="${url('body.png')}"><p>${SAID} in 2023.</p>
<img src="${url('picture.png')}" srcset="${url('large.png')} 2x" alt="a chart"><img src="relative.png" alt="a chart">
<iframe src="${url('frame')}"></iframe><object data="${url('object')}"></object><embed src="${url('embed')}">
<video poster="${url('poster.png')}" src="${url('video')}"></video><audio src="${url('audio')}"></audio>
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"><image xlink:href="${url('svg.png')}"/><use href="${url('use.svg')}#a"/></svg>
<form action="${url('form')}"><input type="image" src="${url('input.png')}"></form></body></html>`;

const message = (url: Url): string =>
  [
    'From: ship@example.com',
    'To: you@example.com',
    'Subject: Ships',
    `List-Unsubscribe: <${url('unsubscribe')}>`,
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    'Content-Type: text/html; charset=utf-8',
    '',
    html(url),
    '--b',
    `Content-Type: message/external-body; access-type=URL; URL="${url('external')}"`,
    '',
    'Content-Type: image/png',
    '',
    '--b',
    'Content-Type: image/png; name=chart.png',
    `Content-Location: ${url('located.png')}`,
    '',
    '--b--',
    '',
  ].join('\r\n');

const types = (part: string, kind: string): string =>
  `${XML}<Types xmlns="${PACKAGE}/content-types"><Default Extension="xml" ContentType="application/xml"/><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="${part}" ContentType="application/vnd.openxmlformats-officedocument.${kind}.main+xml"/></Types>`;

const relations = (...rows: readonly (readonly [id: string, type: string, target: string])[]): string =>
  `${XML}<Relationships xmlns="${PACKAGE}/relationships">${rows
    .map(([id, type, target]) => {
      const mode = /^\w+:/.test(target) ? ' TargetMode="External"' : '';
      return `<Relationship Id="${id}" Type="${OFFICE}/relationships/${type}" Target="${target}"${mode}/>`;
    })
    .join('')}</Relationships>`;

/** Relations to outside that Office programs follow when a file is opened. */
const outside = (url: Url) =>
  [
    ['r1', 'image', url('picture.png')],
    ['r2', 'hyperlink', url('link')],
    ['r3', 'attachedTemplate', url('template.dotm')],
    ['r4', 'oleObject', url('object')],
    ['r5', 'frame', url('frame')],
  ] as const;

const entity = (url: Url): string =>
  `<?xml version="1.0"?><!DOCTYPE d SYSTEM "${url('document.dtd')}" [<!ENTITY far SYSTEM "${url('entity')}">]>`;

const picture = `<a:graphic xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><a:graphicData><pic:pic xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:blipFill><a:blip r:link="r1" r:embed="r1"/></pic:blipFill></pic:pic></a:graphicData></a:graphic>`;

function word(url: Url, head: string): Uint8Array {
  const body = `<w:p><w:r><w:t>${SAID} in 2023.</w:t></w:r></w:p><w:p><w:hyperlink r:id="r2"><w:r><w:t>more</w:t></w:r></w:hyperlink><w:r><w:drawing>${picture}</w:drawing></w:r></w:p><w:p><w:r><w:instrText>INCLUDEPICTURE "${url('field.png')}"</w:instrText></w:r></w:p>`;
  return zip({
    '[Content_Types].xml': types('/word/document.xml', 'wordprocessingml.document'),
    '_rels/.rels': relations(['r1', 'officeDocument', 'word/document.xml']),
    'word/document.xml': `${head}<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="${OFFICE}/relationships"><w:body>${body}</w:body></w:document>`,
    'word/_rels/document.xml.rels': relations(...outside(url)),
    'word/_rels/settings.xml.rels': relations(...outside(url)),
  });
}

function slides(url: Url): Uint8Array {
  const text = `<p:sp><p:txBody><a:p><a:r><a:rPr><a:hlinkClick r:id="r2"/></a:rPr><a:t>${SAID} in 2023.</a:t></a:r></a:p></p:txBody></p:sp>`;
  const names = `xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="${OFFICE}/relationships"`;
  return zip({
    '[Content_Types].xml': types('/ppt/presentation.xml', 'presentationml.presentation'),
    '_rels/.rels': relations(['r1', 'officeDocument', 'ppt/presentation.xml']),
    'ppt/presentation.xml': `${XML}<p:presentation ${names}><p:sldIdLst><p:sldId id="256" r:id="s1"/></p:sldIdLst></p:presentation>`,
    'ppt/_rels/presentation.xml.rels': relations(['s1', 'slide', 'slides/slide1.xml']),
    'ppt/slides/slide1.xml': `${XML}<p:sld ${names}><p:cSld><p:spTree>${text}<p:pic><p:blipFill><a:blip r:link="r1" r:embed="r1"/></p:blipFill></p:pic></p:spTree></p:cSld></p:sld>`,
    'ppt/slides/_rels/slide1.xml.rels': relations(...outside(url)),
  });
}

function sheet(url: Url): Uint8Array {
  const cell = (text: string): string => `<c t="inlineStr"><is><t>${text}</t></is></c>`;
  const formula = `<c><f>WEBSERVICE("${url('service').replaceAll('&', '&amp;')}")</f><v>1</v></c>`;
  return zip({
    '[Content_Types].xml': types('/xl/workbook.xml', 'spreadsheetml.sheet'),
    '_rels/.rels': relations(['r1', 'officeDocument', 'xl/workbook.xml']),
    'xl/workbook.xml': `${XML}<workbook xmlns:r="${OFFICE}/relationships"><sheets><sheet name="Ships" sheetId="1" r:id="r1"/></sheets><externalReferences><externalReference r:id="r2"/></externalReferences></workbook>`,
    'xl/_rels/workbook.xml.rels': relations(
      ['r1', 'worksheet', 'worksheets/sheet1.xml'],
      ['r2', 'externalLink', url('book.xlsx')],
    ),
    'xl/worksheets/sheet1.xml': `${XML}<worksheet xmlns:r="${OFFICE}/relationships"><sheetData><row>${cell('Said')}${cell('Year')}</row><row>${cell(SAID)}<c><v>2023</v></c>${formula}</row></sheetData><hyperlinks><hyperlink ref="A2" r:id="r2"/></hyperlinks></worksheet>`,
    'xl/worksheets/_rels/sheet1.xml.rels': relations(...outside(url)),
  });
}

/** Objects in order, the first of which is the catalog. Source: ISO 32000-1, 7.5. */
function pdfOf(objects: readonly string[]): Uint8Array {
  let text = '%PDF-1.7\n';
  const offsets = objects.map((object, i) => {
    const offset = text.length;
    text += `${i + 1} 0 obj\n${object}\nendobj\n`;
    return String(offset).padStart(10, '0');
  });
  const table = offsets.map((offset) => `${offset} 00000 n \n`).join('');
  const start = text.length;
  const count = objects.length + 1;
  text += `xref\n0 ${count}\n0000000000 65535 f \n${table}trailer\n<</Size ${count}/Root 1 0 R>>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(text, 'latin1');
}

function pdf(url: Url): Uint8Array {
  const spec = (name: string): string => `<</FS/URL/F(${url(name)})>>`;
  const shown = `BT /F1 12 Tf 72 700 Td (${SAID} in 2023.) Tj ET q 100 0 0 100 72 500 cm /I1 Do Q`;
  const stream = (dictionary: string, data: string): string =>
    `<<${dictionary}/Length ${data.length}>>\nstream\n${data}\nendstream`;
  return pdfOf([
    `<</Type/Catalog/Pages 2 0 R/OpenAction<</S/URI/URI(${url('open')})>>/AA<</WC<</S/SubmitForm/F${spec('submit')}>>>>/AcroForm<</XFA[(template) 7 0 R]>>/URI<</Base(${url('base')})>>>>`,
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>/XObject<</I1 6 0 R>>>>/Annots[8 0 R 9 0 R]/AA<</O<</S/JavaScript/JS(app.launchURL("' +
      `${url('script')}"))>>>>>>`,
    stream('', shown),
    `<</Type/Font/Subtype/Type1/BaseFont/Far/FontDescriptor<</Type/FontDescriptor/FontName/Far/Flags 32/FontFile3 10 0 R>>>>`,
    stream(
      `/Type/XObject/Subtype/Image/Width 1/Height 1/ColorSpace/DeviceGray/BitsPerComponent 8/F${spec('image')}`,
      '0',
    ),
    stream('', `<template><subform><image href="${url('form.png')}"/></subform></template>`),
    `<</Type/Annot/Subtype/Link/Rect[72 690 200 710]/A<</S/URI/URI(${url('link')})>>>>`,
    `<</Type/Annot/Subtype/Screen/Rect[0 0 9 9]/A<</S/GoToR/F${spec('other.pdf')}/D[0/Fit]>>>>`,
    stream(`/F${spec('font')}`, ' '),
  ]);
}

/** @param url one on the listener, by name */
export const linkingDocuments = (url: Url): Readonly<Record<string, string | Uint8Array>> => ({
  'ships.md': markdown(url),
  'ships.html': html(url),
  'ships.xhtml': `${entity(url)}<html xmlns="http://www.w3.org/1999/xhtml"><body><p>${SAID} in 2023. &far;</p></body></html>`,
  'ships.eml': message(url),
  'ships.docx': word(url, XML),
  [REFUSED]: word(url, entity(url)),
  'ships.pptx': slides(url),
  'ships.xlsx': sheet(url),
  'ships.pdf': pdf(url),
  'ships.csv': `Said,Where\n${SAID},${url('cell')}\n"=WEBSERVICE(""${url('service')}"")",=IMAGE("${url('image')}")\n`,
  'ships.txt': `${SAID} in 2023. See ${url('text')}\n`,
});
