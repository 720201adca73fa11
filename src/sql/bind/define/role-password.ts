/** PASSWORD of CREATE and ALTER ROLE. */
import { notSupported } from '../../../errors.ts';

/** @param password null: PASSWORD NULL. @throws SqlError 0A000 for any. */
export function checkPassword(password: string | null): void {
  if (password !== null) throw notSupported('passwords of roles');
}
