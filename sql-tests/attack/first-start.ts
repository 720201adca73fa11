/** A server as it is started first, by whoever reads what it prints. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';

/** A server whose output is read, as by whoever starts it first. */
export class FirstStart implements AsyncDisposable {
  output = '';
  errors = '';
  readonly #process;
  readonly #ended;

  private constructor(folderOfData: string, environment: NodeJS.ProcessEnv, flags: readonly string[]) {
    const args = [
      'serve',
      '--data',
      folderOfData,
      '--host',
      '0.0.0.0',
      '--port',
      '0',
      '--http-port',
      '0',
      ...flags,
    ];
    const { QUERN_API_KEY: _, ...rest } = process.env;
    const program = join(import.meta.dirname, '../../bin/quern');
    this.#process = spawn(program, args, {
      env: { ...rest, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#ended = new Promise((resolve) => this.#process.once('close', resolve));
  }

  static async begin(
    folderOfData: string,
    environment: NodeJS.ProcessEnv = {},
    flags: readonly string[] = [],
  ): Promise<FirstStart> {
    const begun = new FirstStart(folderOfData, environment, flags);
    begun.#process.stderr.setEncoding('utf8').on('data', (text: string) => {
      begun.errors += text;
    });
    for await (const text of begun.#process.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
      begun.output += text;
      if (/^ready .*\n/m.test(begun.output)) break;
    }
    return begun;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#process.kill();
    await this.#ended;
  }
}
