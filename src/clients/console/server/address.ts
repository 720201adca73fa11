/** Where the server is: below the path that the page was given as its base, so that a proxy may put a prefix before it. */
export const base = new URL(document.baseURI);

/** @param path without a leading slash. */
export const addressOf = (path: string): string => new URL(path, base).href;
