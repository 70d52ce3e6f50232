import * as fastCheck from "fast-check"

export * from "fast-check"

const most = 50

/** Tries few cases, the same for each mutant, and looks for no simpler one when one fails: whether it fails is all that is asked of a mutant. */
export function assert<Ts>(property: fastCheck.IAsyncProperty<Ts>, given?: fastCheck.Parameters<Ts>): Promise<void>
export function assert<Ts>(property: fastCheck.IProperty<Ts>, given?: fastCheck.Parameters<Ts>): void
export function assert<Ts>(
  property: fastCheck.IRawProperty<Ts>,
  given?: fastCheck.Parameters<Ts>
): void | Promise<void> {
  const numRuns = Math.min(given?.numRuns ?? most, most)
  return fastCheck.assert(property, { ...given, numRuns, seed: 1, endOnFailure: true })
}

export default { ...fastCheck, assert }
