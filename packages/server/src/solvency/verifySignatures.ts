import type { VerifyMessage } from "@bursar/api/solvency/verifySnapshot"
import type { MessageFormat, NetworkTable } from "@bursar/core/money/Network"
import type { NetworkKeys } from "@bursar/core/port/NetworkAdapter"
import type { Networks } from "@bursar/core/port/Networks"
import { Effect } from "effect"

/** How keys of a network sign: in one form, whose details may differ between the chains of its family. */
export interface SigningWays {
  readonly format: MessageFormat
  readonly ways: ReadonlyArray<Pick<NetworkKeys, "verifyMessage">>
}

/** Verifies signatures by how keys of networks sign. One of a network that is not known, or in the form of another, verifies nothing. */
export const verifyByWays =
  (waysOf: (network: string) => SigningWays | undefined): VerifyMessage =>
  ({ address, network }, { format, message, signature }) => {
    const known = waysOf(network)
    if (known?.format !== format) return Effect.succeed(false)
    return Effect.map(
      Effect.forEach(known.ways, ({ verifyMessage }) => verifyMessage(address, message, signature)),
      (verdicts) => verdicts.includes(true)
    )
  }

/** How keys of the networks of this service sign, of those that are off as well. */
export const waysOfService =
  (networks: Networks["Service"], table: NetworkTable) =>
  (network: string): SigningWays | undefined => {
    if (!table.has(network)) return undefined
    const { family, messageFormat: format } = table.of(network)
    const on = networks.get(network)
    return { format, ways: on === undefined ? (networks.familyKeys.get(family) ?? []) : [on.keys] }
  }
