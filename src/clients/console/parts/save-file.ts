/** Gives a file to the browser, which keeps it where downloads go. */
export function saveFile(data: Blob, name: string): void {
  const address = URL.createObjectURL(data);
  const link = Object.assign(document.createElement('a'), { href: address, download: name });
  link.click();
  URL.revokeObjectURL(address);
}
