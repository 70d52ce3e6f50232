import type { SolvencySnapshot } from "@bursar/api/solvency/SolvencySnapshot"
import { parseBitcoinAddress } from "@bursar/bitcoin/Address"
import { facts } from "@bursar/bitcoin/Network"
import type { NetworkTraits } from "@bursar/core/money/Network"
import { parseEvmAddress } from "@bursar/evm/Address"
import { demux, parseStellarAddress } from "@bursar/stellar/Address"
import { parseTronAddress } from "@bursar/tron/Address"
import { Result } from "effect"

type Place = Pick<SolvencySnapshot["reserves"][number], "address" | "chain_id" | "network">

const isBitcoinChain = (chain: string): chain is keyof typeof facts => Object.hasOwn(facts, chain)

/** The one writing of an address on its chain, or in words why it is none. */
const writingOf = (family: string, { address, chain_id: chain, network }: Place): Result.Result<string, string> => {
  switch (family) {
    case "evm":
      return parseEvmAddress(network, [], address)
    case "tron":
      return parseTronAddress([], address)
    case "stellar":
      return parseStellarAddress(address)
    case "bitcoin":
      return isBitcoinChain(chain) ? parseBitcoinAddress(chain, address) : Result.fail("The chain is not known.")
    default:
      return Result.fail("The network is not known.")
  }
}

/** Why the coins of a place could stand in a document under another name as well; undefined where they have this one alone. */
const placeObjection = (family: string, place: Place): string | undefined => {
  if (family === "evm" && !/^[1-9]\d*$/u.test(place.chain_id))
    return `The chain ${place.chain_id} is not written as a number.`
  const { account } = family === "stellar" ? (demux(place.address) ?? {}) : {}
  if (account !== undefined) return `It is a part of the account ${account}, whose coins count once.`
  const writing = writingOf(family, place)
  if (Result.isFailure(writing)) return writing.failure
  return writing.success === place.address ? undefined : `Its one writing is ${writing.success}.`
}

/** Reserves under a name that is not the one of their coins: under several, the same coins would count several times. */
export const placeFindings = (
  { reserves }: SolvencySnapshot,
  traitsOf: (network: string) => Pick<NetworkTraits, "family">
): ReadonlyArray<string> =>
  reserves.flatMap((place) => {
    const objection = placeObjection(traitsOf(place.network).family, place)
    return objection === undefined ? [] : [`${place.network} ${place.address}: ${objection}`]
  })
