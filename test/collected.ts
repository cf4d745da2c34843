/** All that comes, in order. */
export async function collected<T>(given: AsyncIterable<T>): Promise<T[]> {
  const came: T[] = [];
  for await (const each of given) came.push(each);
  return came;
}
