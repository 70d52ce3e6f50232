import { makeMissing, type Missing } from "@bursar/network-kit/missing"
import { positive } from "@bursar/network-kit/positive"
import type { Redacted } from "effect"
import { toHex } from "../../Address.ts"
import { makeRpc, type Rpc } from "./Rpc.ts"

/** A node, with what it has said it does not have. */
export interface Node {
  readonly http: Rpc
  readonly missing: Missing
}

/** Where a node is. */
export interface NodeOptions {
  /** The HTTP API of java-tron or TronGrid. May hold a key or a password, neither of which reaches an error or a log. */
  readonly nodeUrl: Redacted.Redacted<string>
  /** Where `/walletsolidity` is served when not by `nodeUrl`: a node of one's own has it on a port of its own (8091). */
  readonly solidityUrl?: Redacted.Redacted<string>
  /** Sent as `TRON-PRO-API-KEY`. */
  readonly apiKey?: Redacted.Redacted<string>
  /** How long a call to the node may take. Default 20,000. */
  readonly timeoutMs?: number
  /** How many calls to the node are under way at most. Default 8. */
  readonly callsMax?: number
  /** The largest answer that is read, in bytes. Default 128 MiB; a full block and its infos usually take a few. */
  readonly answerBytesMax?: number
}

const timeoutMsDefault = 20_000
const callsMaxDefault = 8
const answerBytesMaxDefault = 128 * 1024 * 1024

/** A node that has not been asked yet. Throws on a mistake of the configuration. */
export const makeNode = (options: NodeOptions): Node => {
  positive("timeoutMs", options.timeoutMs)
  positive("callsMax", options.callsMax)
  positive("answerBytesMax", options.answerBytesMax)
  return {
    http: makeRpc({
      nodeUrl: options.nodeUrl,
      solidityUrl: options.solidityUrl ?? options.nodeUrl,
      apiKey: options.apiKey,
      timeoutMs: options.timeoutMs ?? timeoutMsDefault,
      callsMax: options.callsMax ?? callsMaxDefault,
      answerBytesMax: options.answerBytesMax ?? answerBytesMaxDefault
    }),
    missing: makeMissing()
  }
}

/** The pinned tokens, from 20 bytes of hexadecimal to their base58 form. Throws when one is no address. */
export const contractsByHex = (contracts: ReadonlyArray<string>): ReadonlyMap<string, string> =>
  new Map(
    contracts.map((contract) => {
      const hex = toHex(contract)
      if (hex === undefined) throw new Error(`${contract} is not a token contract on tron`)
      return [hex.slice(2), contract]
    })
  )
