import { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import type { World } from "../world/World.ts"

/**
 * Whether a transaction rests: it was given up because a reorganisation took what it moves, and that was all that its account had, so nothing pays
 * for it or for one in its place until coin comes.
 */
export const rests = (
  { chain }: Pick<World, "chain">,
  { endedAt, from, givenUpAfter }: Pick<OutboundTransaction, "endedAt" | "from" | "givenUpAfter">
): boolean => endedAt === null && givenUpAfter !== null && chain.holds(from, null) === 0n

/** The ids of all transactions of a world that rest. */
export const resting = (world: Pick<World, "chain" | "state">): ReadonlySet<string> =>
  new Set(
    [...world.state.tenants.values()].flatMap(({ records }) =>
      // under a name stand records of that kind alone
      [...((records.get(OutboundTransaction.name) ?? new Map()) as ReadonlyMap<string, OutboundTransaction>).values()]
        .filter((one) => rests(world, one))
        .map(({ id }) => id)
    )
  )
