/** The answerer of requests of a path. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller } from './caller.ts';

/** @throws Refusal, where nothing has been answered yet. */
export type Handler = (request: IncomingMessage, response: ServerResponse, caller: Caller) => Promise<void>;
