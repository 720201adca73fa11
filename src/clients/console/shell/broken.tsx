/** A page that failed by our own fault: it says so, and the rest of the console is a click away. */
import { useRouteError } from 'react-router';
import { LinkButton } from '../parts/button.tsx';
import { FaultBox } from '../parts/states.tsx';
import { faultOf } from '../server/messages.ts';
import { WORDS } from '../words.ts';

export function Broken() {
  const error = useRouteError();
  return (
    <main className="stack">
      <FaultBox fault={faultOf(error)} onRetry={() => location.reload()} />
      <div>
        <LinkButton to="/">{WORDS.pages.home}</LinkButton>
      </div>
    </main>
  );
}
