/** HTTP's status for an error, where nothing of the answer has been sent yet. */
import type { SqlError } from '../errors.ts';

/** By SQLSTATE, or class of them; the longer one counts. */
const STATUSES: Readonly<Record<string, number>> = {
  '23': 409,
  '25006': 403,
  '25P01': 404,
  '25P03': 404,
  '25P04': 404,
  '28': 401,
  '2B': 409,
  '3F': 404,
  '40': 409,
  '42501': 403,
  '42704': 404,
  '42710': 409,
  '42939': 409,
  '42P01': 404,
  '42P06': 409,
  '42P07': 409,
  '53': 503,
  '53300': 429,
  '54': 413,
  '55': 409,
  '57': 503,
  '57014': 409,
  '57P03': 429,
  '58': 500,
  XX: 500,
};

/** Any other is a mistake of the request's. */
const BAD_REQUEST = 400;

/** No mistake of the client's. */
export const FAULT = 500;

export const statusOf = ({ sqlstate }: SqlError): number =>
  STATUSES[sqlstate] ?? STATUSES[sqlstate.slice(0, 2)] ?? BAD_REQUEST;
