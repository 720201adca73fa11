/** Where the console begins: who is signed in is asked first; until then nothing is shown. */
import { CSPProvider } from '@base-ui/react/csp-provider';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createBrowserRouter, RouterProvider } from 'react-router';
import { NotFound } from './pages/not-found.tsx';
import { PAGES } from './pages.ts';
import { Skeleton } from './parts/states.tsx';
import { TipProvider } from './parts/tip.tsx';
import { base } from './server/address.ts';
import { nonce } from './server/nonce.ts';
import { whoAmI } from './server/sign-in.ts';
import { Broken } from './shell/broken.tsx';
import { Shell } from './shell/shell.tsx';
import { applyTheme } from './shell/theme.ts';
import './styles/tokens.css';
import './styles/base.css';

applyTheme();

const router = createBrowserRouter(
  [
    {
      Component: Shell,
      ErrorBoundary: Broken,
      HydrateFallback: Skeleton,
      children: [
        ...PAGES.map(({ path, load }) => ({ path: path === '' ? '/' : `/${path}/*`, lazy: load })),
        { path: '/device', lazy: () => import('./pages/device/device.tsx') },
        ...(import.meta.env.DEV
          ? [{ path: '/components', lazy: () => import('./pages/components/components.tsx') }]
          : []),
        { path: '*', Component: NotFound },
      ],
    },
  ],
  { basename: base.pathname },
);

// An answer that it is signed out is an answer; a server that is not there is asked again by the shell.
void whoAmI().catch(() => undefined);

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <CSPProvider nonce={nonce}>
      <TipProvider delay={400}>
        <RouterProvider router={router} />
      </TipProvider>
    </CSPProvider>
  </StrictMode>,
);
