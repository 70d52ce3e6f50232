import type { World } from "../world/World.ts"
import type { Carried } from "./judgeRequests.ts"

/** The custodian of a world, as it truly is. */
type AtCustodian = Pick<World, "exchange">

const held: ReadonlySet<string> = new Set(["WITHDRAWAL", "SWAP"])

/** What the custodian did is what the service says of it. */
export const judgeCustody = ({ exchange }: AtCustodian, carried: ReadonlyArray<Carried>): ReadonlyArray<string> =>
  carried
    .filter(({ entry: { kind } }) => held.has(kind))
    .flatMap(({ entry: { id, kind, status }, variant: { meant } }) => {
      const done = exchange.carriedOut.filter(({ reference }) => reference === id)
      const right = status === "SETTLED" ? 1 : 0
      const wrong = done.filter(({ paid }) => paid.units !== meant.units || paid.currency !== meant.currency)
      return [
        ...(done.length === right ? [] : [`${kind} ${id} is ${status}, and was carried out ${done.length} times`]),
        ...wrong.map(({ paid }) => `${kind} ${id} was carried out with ${paid.units} ${paid.currency}`)
      ]
    })

/**
 * The custodian carried out what partners have asked for, withdrawals to destinations of their own (`isTheirs` says of an address and a currency), and
 * nothing else.
 */
export const judgeCustodyOrders = <A>(
  { exchange }: AtCustodian,
  all: ReadonlyArray<{ readonly partner: A; readonly carried: ReadonlyArray<Carried> }>,
  isTheirs: (partner: A, address: string, currency: string) => boolean
): ReadonlyArray<string> => {
  const asked = new Map(
    all.flatMap(({ carried, partner }) =>
      carried
        .filter(({ entry: { kind } }) => held.has(kind))
        .map(({ entry: { id, kind } }) => [id, kind === "WITHDRAWAL" ? partner : null] as const)
    )
  )
  return exchange.carriedOut.flatMap(({ address, paid, reference }) => {
    const of = asked.get(reference)
    if (of === undefined) return [`the custodian was ordered ${reference}, and nobody asked for it`]
    const isMeant = of === null ? address === null : address !== null && isTheirs(of, address, paid.currency)
    return isMeant ? [] : [`the custodian was ordered ${reference} to ${address}, which is no destination of it`]
  })
}
