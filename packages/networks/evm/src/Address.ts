import type { Network } from "@bursar/core/money/Network"
import { Result } from "effect"
import { getAddress, isAddress } from "viem"

const shape = /^0x[0-9a-fA-F]{40}$/u
const icap = /^(?:iban:)?XE[0-9]{2}[0-9A-Z]{16,31}$/iu
const bare = /^[0-9a-f]{40}$/iu
const lowerOrUpper = /^0x(?:[0-9a-f]{40}|[0-9A-F]{40})$/u
const zero = /^0x0{40}$/u

/** The checksummed (EIP-55) form of 20 bytes of hexadecimal that is known to be well formed. */
export const checksummed = (address: string): string =>
  // viem asks for the prefix in the type; the callers have matched it.
  getAddress(address.toLowerCase() as `0x${string}`)

/**
 * The canonical, checksummed form of an address that may receive, or in words why it is none.
 *
 * **Details**
 *
 * All lower and all upper case are accepted, because neither carries a checksum; mixed case must be a valid EIP-55 checksum.
 * Refused: other lengths, a missing or upper-case `0x`, ICAP, the zero address, and the pinned token contracts of the network
 * (`contracts`), which would swallow what is sent to them.
 */
export const parseEvmAddress = (
  network: Network,
  contracts: ReadonlyArray<string>,
  text: string
): Result.Result<string, string> => {
  if (icap.test(text)) return Result.fail("ICAP addresses are not accepted: use the 0x form.")
  if (bare.test(text)) return Result.fail("The address must start with 0x.")
  if (!shape.test(text))
    return Result.fail(`This is not an address on ${network}: 0x and 40 hexadecimal digits are expected.`)
  if (!lowerOrUpper.test(text) && !isAddress(text, { strict: true })) {
    return Result.fail("The checksum of the address is wrong: a character was mistyped.")
  }
  if (zero.test(text)) return Result.fail("The zero address cannot receive: what is sent to it is lost.")
  const lower = text.toLowerCase()
  if (contracts.some((contract) => contract.toLowerCase() === lower)) {
    return Result.fail("This is the address of a token contract, not of an account: what is sent to it is lost.")
  }
  return Result.succeed(checksummed(lower))
}
