import { address as codec } from "bitcoinjs-lib"
import { Result } from "effect"
import { addressOfScript, parseBitcoinAddress } from "../../Address.ts"
import { type BitcoinChainName, facts } from "../facts.ts"

/** Whether the two have the same bytes. */
export const sameBytes = (one: Uint8Array, other: Uint8Array): boolean => Buffer.compare(one, other) === 0

/** OP_1 less one: a segwit version above 0 as an opcode. */
const opBase = 0x50

const scriptOf = (chain: BitcoinChainName, address: string): Uint8Array => {
  const { bech32, pubKeyHash } = facts[chain]
  if (address.startsWith(`${bech32}1`)) {
    const { data, version } = codec.fromBech32(address)
    return Uint8Array.of(version === 0 ? 0 : opBase + version, data.length, ...data)
  }
  const { hash, version } = codec.fromBase58Check(address)
  return version === pubKeyHash
    ? Uint8Array.of(0x76, 0xa9, 0x14, ...hash, 0x88, 0xac)
    : Uint8Array.of(0xa9, 0x14, ...hash, 0x87)
}

/** The output script that pays an address, or in words why it is none that can be paid. The address must be canonical. */
export const scriptOfAddress = (chain: BitcoinChainName, address: string): Result.Result<Uint8Array, string> =>
  Result.flatMap(parseBitcoinAddress(chain, address), (canonical) => {
    if (canonical !== address) return Result.fail(`${address} is not written as ${canonical}`)
    const script = scriptOf(chain, canonical)
    return addressOfScript(chain, script) === canonical
      ? Result.succeed(script)
      : Result.fail(`${address} cannot be paid`)
  })
