/** Requests that are refused before anything is done for them: a status, a sentence, what to do about it. */
export class Refusal extends Error {
  readonly status: number;
  readonly hint: string | null;

  constructor(status: number, message: string, hint: string | null = null) {
    super(message);
    this.status = status;
    this.hint = hint;
  }

  /** As text, for people. */
  get body(): string {
    return this.hint === null ? `${this.message}\n` : `${this.message}\nhint: ${this.hint}\n`;
  }

  get headers(): Readonly<Record<string, string>> {
    return this.status === 401 ? { 'www-authenticate': 'Bearer' } : {};
  }
}
