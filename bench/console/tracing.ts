/**
 * The browser's own tracing: what the main thread of a page was busy with. Source: Chromium's trace events, where `RunTask` is
 * a turn of a thread's loop and `AnimationFrame` begins where a frame is made. Times are microseconds of one clock.
 */
import type { CDPSession, Page } from 'playwright-core';

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly ts: number;
  readonly dur?: number;
  /** Processor time within `dur`. */
  readonly tdur?: number;
  readonly pid: number;
  readonly tid: number;
  readonly args?: { readonly name?: string };
}

interface Task {
  readonly ts: number;
  readonly dur: number;
  /** Share of it that the thread had a processor: others use the machine too. */
  readonly share: number;
}

/** Turns of the page's main thread, and where its frames begin. */
export interface Traced {
  readonly tasks: readonly Task[];
  readonly frames: readonly number[];
  /** Where keys were pressed. */
  readonly keys: readonly number[];
}

const CATEGORIES = ['toplevel', 'devtools.timeline', '__metadata'];

export async function traced(page: Page, work: () => Promise<void>): Promise<Traced> {
  const session = await page.context().newCDPSession(page);
  const events: TraceEvent[] = [];
  session.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])));
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: CATEGORIES },
  });
  await work();
  await ended(session);
  await session.detach();
  return ofPage(events);
}

async function ended(session: CDPSession): Promise<void> {
  const complete = new Promise<void>((resolve) => session.once('Tracing.tracingComplete', () => resolve()));
  await session.send('Tracing.end');
  await complete;
}

/** Events of the main thread that drew the most frames: the page's. */
function ofPage(events: readonly TraceEvent[]): Traced {
  const thread = ({ pid, tid }: TraceEvent): string => `${pid}:${tid}`;
  const mains = events.filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain');
  const begun = events.filter(({ name }) => name === 'AnimationFrame');
  const [main] = mains
    .map((one) => ({ of: thread(one), count: begun.filter((frame) => thread(frame) === thread(one)).length }))
    .sort((a, b) => b.count - a.count);
  const own = events.filter((event) => thread(event) === main?.of);
  const named = (name: string): readonly TraceEvent[] => own.filter((event) => event.name === name);
  const tasks = named('ThreadControllerImpl::RunTask');
  const isKey = ({ args }: TraceEvent): boolean => /"type":"keydown"/.test(JSON.stringify(args ?? null));
  return {
    tasks: tasks.filter(({ ph }) => ph === 'X').map(taskOf),
    frames: named('AnimationFrame')
      .filter(({ ph }) => ph === 'b')
      .map(({ ts }) => ts)
      .sort((a, b) => a - b),
    keys: named('EventDispatch')
      .filter(isKey)
      .map(({ ts }) => ts),
  };
}

const taskOf = ({ ts, dur = 0, tdur = dur }: TraceEvent): Task => ({
  ...{ ts, dur },
  share: dur === 0 ? 0 : Math.min(1, tdur / dur),
});

/** Milliseconds of processor that the thread had between each of these times and the next. */
export function busyBetween({ tasks }: Traced, times: readonly number[]): readonly number[] {
  return times.slice(0, -1).map((from, i) => {
    const end = times[i + 1] ?? from;
    const own = tasks.map(
      ({ ts, dur, share }) => share * Math.max(0, Math.min(end, ts + dur) - Math.max(from, ts)),
    );
    return own.reduce((sum, part) => sum + part, 0) / 1000;
  });
}
