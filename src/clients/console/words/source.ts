/** Words of drawn pages. */
export const SOURCE_WORDS = {
  pageOf: (page: number) => `Page ${page}, as it is drawn`,
  drawing: (page: number) => `Drawing page ${page}`,
} as const;
