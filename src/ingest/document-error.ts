/** Why a file cannot become a document, in words for the person who gave it. */

export type DocumentProblem =
  | 'unknown_kind'
  | 'empty'
  | 'password_missing'
  | 'password_wrong'
  | 'damaged'
  | 'no_pages'
  | 'no_such_page'
  | 'not_drawn'
  | 'limit_exceeded'
  | 'time_exceeded';

export class DocumentError extends Error {
  override readonly name = 'DocumentError';
  readonly problem: DocumentProblem;

  /** @param message a sentence in lower case without the file's name: `the file needs a password`. */
  constructor(problem: DocumentProblem, message: string, options?: ErrorOptions) {
    super(message, options);
    this.problem = problem;
  }
}
