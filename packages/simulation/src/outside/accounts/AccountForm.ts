import type { NetworkTraits } from "@bursar/core/money/Network"
import type { NetworkKeys } from "@bursar/core/port/NetworkAdapter"
import { checksummed, parseEvmAddress } from "@bursar/evm/Address"
import { addressOfPublicKey as evmAddressOf, evmKeys } from "@bursar/evm/Keys"
import { fromEvmHex, parseTronAddress } from "@bursar/tron/Address"
import { addressOfPublicKey as tronAddressOf, tronKeys } from "@bursar/tron/Keys"
import type { Result } from "effect"

/** How accounts of a network are named, and what its transactions cost and use up. */
export interface AccountForm {
  readonly keys: NetworkKeys
  readonly addressOf: (publicKey: Uint8Array) => string
  readonly parse: (
    traits: NetworkTraits,
    contracts: ReadonlyArray<string>,
    text: string
  ) => Result.Result<string, string>
  /** The address of 20 bytes. */
  readonly ofBytes: (bytes: Uint8Array) => string
  /** What a transaction costs for each point of its bid, in base units of the native asset. */
  readonly feePerBid: bigint
  /** Whether nothing but time excludes that two transactions of an account both take effect. */
  readonly expires: boolean
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

const counting: AccountForm = {
  keys: evmKeys,
  addressOf: evmAddressOf,
  parse: ({ name }, contracts, text) => parseEvmAddress(name, contracts, text),
  ofBytes: (bytes) => checksummed(`0x${hex(bytes)}`),
  feePerBid: 400_000_000_000_000n,
  expires: false
}

const expiring: AccountForm = {
  keys: tronKeys,
  addressOf: tronAddressOf,
  parse: (_traits, contracts, text) => parseTronAddress(contracts, text),
  ofBytes: (bytes) => fromEvmHex(hex(bytes)),
  feePerBid: 300_000n,
  expires: true
}

/** The form of the accounts of a network. */
export const accountForm = ({ accountModel }: NetworkTraits): AccountForm =>
  accountModel === "expiry" ? expiring : counting
