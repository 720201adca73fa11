/** pg_has_role: memberships by way of others, by PostgreSQL's words. Source: PostgreSQL 18, section 9.27.2. */
import { SqlError } from '../../errors.ts';
import type { FunctionContext, ScalarFunction } from '../function.ts';
import { roleByName, ROLES, userOid } from './role-arguments.ts';

type How = 'member' | 'usage' | 'set' | 'admin';

/** @throws SqlError 22023 */
function waysAsked(text: string): readonly How[] {
  return text.split(',').map((part) => {
    const word = part.trim().toUpperCase();
    const bare = word.replace(/ WITH (GRANT|ADMIN) OPTION$/, '');
    if (!['MEMBER', 'USAGE', 'SET'].includes(bare)) {
      throw new SqlError('invalid_parameter_value', `unrecognized privilege type: "${part.trim()}"`);
    }
    return bare === word ? (bare.toLowerCase() as How) : 'admin';
  });
}

const roleOf = (context: FunctionContext, role: string | number): number =>
  typeof role === 'number' ? role : roleByName(context, role);

export const ROLE_MEMBERSHIP_FUNCTIONS: readonly ScalarFunction[] = ROLES.flatMap((member) =>
  (['name', 'oid'] as const).map(
    (type): ScalarFunction => ({
      name: 'pg_has_role',
      args: [...(member.type === null ? [] : [member.type]), type, 'text'],
      returns: 'bool',
      volatility: 'stable',
      summary: 'Whether a user is a member of the role, has its rights, or may SET ROLE to it.',
      example: [`SELECT pg_has_role(${member.sql}${type === 'name' ? "'reader'" : '10::oid'}, 'USAGE')`, 't'],
      evaluateIn: (context, ...args: (string | number)[]) => {
        const [first, role, words] = member.type === null ? [null, ...args] : args;
        const asker = first === null ? userOid(context) : roleOf(context, first as string | number);
        const of = roleOf(context, role as string | number);
        return waysAsked(String(words)).some((how) => context.catalog.hasRole(asker, of, how));
      },
    }),
  ),
);
