/**
 * How the console is built: static files into `build/console/`. The server fills the nonce in for each answer (styles of the
 * editor are made at run time), and the path under which it is reached.
 */
import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const HERE = import.meta.dirname;

export default defineConfig({
  root: HERE,
  // Below any path: `<base>` says which.
  base: './',
  plugins: [react()],
  html: { cspNonce: 'QUERN_CSP_NONCE' },
  build: {
    outDir: join(HERE, '../../../build/console'),
    emptyOutDir: true,
    target: 'es2023',
    // Inlined ones would be addresses that the policy forbids.
    assetsInlineLimit: 0,
    license: { fileName: 'licenses.md' },
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1200,
  },
});
