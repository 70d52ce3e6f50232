/** Everything that an iterable gives, seen through a function. */
export const collect = async <A, B>(items: AsyncIterable<A>, see: (item: A) => B): Promise<ReadonlyArray<B>> => {
  const found: Array<B> = []
  for await (const item of items) found.push(see(item))
  return found
}
