/** Signing in and out: by a key, by the link that a first start prints, or as a browser that was signed in before. */
import { request } from './request.ts';
import { type SignedIn, signedIn, signedOut } from './session.ts';

/** The link's token is in the fragment, which no server and no log sees. */
const LINK = /^#link=([\w-]+)$/;

/** @throws StatementError 28000, 08006. */
export async function signIn(by: { readonly key: string } | { readonly link: string }): Promise<void> {
  const response = await request('sign-in', { method: 'POST', json: by });
  signedIn((await response.json()) as SignedIn);
}

/** Takes the link out of the address before it is used: it is good for once. */
function takeLink(): string | null {
  const link = LINK.exec(location.hash)?.[1] ?? null;
  if (link !== null) history.replaceState(null, '', location.pathname + location.search);
  return link;
}

/** At the start of the page. @throws StatementError 08006. */
export async function whoAmI(): Promise<void> {
  const link = takeLink();
  if (link !== null) {
    await signIn({ link }).catch(() => undefined);
  }
  const response = await request('session');
  signedIn((await response.json()) as SignedIn);
}

export async function signOut(everywhere: boolean): Promise<void> {
  await request(everywhere ? 'sign-out?everywhere=1' : 'sign-out', { method: 'POST' });
  signedOut();
}
