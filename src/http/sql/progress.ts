/** Lines that tell how far a statement is, until rows come. */
import type { Session } from '../../session/protocol.ts';
import type { JsonSink } from './json-sink.ts';

const EVERY_MS = 500;

/** Until it is disposed. */
export function tellProgress(session: Session, lines: JsonSink): Disposable {
  const timer = setInterval(() => {
    const progress = session.progress();
    if (progress === null || lines.hasRows) return;
    lines.line({ progress });
    lines.flush();
  }, EVERY_MS);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
