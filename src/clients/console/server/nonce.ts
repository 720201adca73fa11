/** Styles that are made at run time need it: the server gives each page another one. */
export const nonce = document.querySelector<HTMLElement>('meta[property=csp-nonce]')?.nonce ?? '';
