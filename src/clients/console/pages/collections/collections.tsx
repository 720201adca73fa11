/** Collections: the list, or one of them, by the address. */
import { Collection } from './collection.tsx';
import { CollectionList } from './list.tsx';
import { usePlace } from './place.ts';

export function Component() {
  const place = usePlace();
  if (place.name === null) return <CollectionList />;
  return <Collection key={place.name} name={place.name} place={place} />;
}
