import { Account, MuxedAccount, StrKey } from "@stellar/stellar-sdk/base"
import { Result } from "effect"

const base32 = /^[A-Z2-7]+$/u

const idMax = 18_446_744_073_709_551_615n

/** What else the strings of Stellar's alphabet stand for, by their first letter. */
const others: Readonly<Record<string, string>> = {
  C: "This is a contract: payments to it are calls of its code, which are not supported.",
  B: "This is a claimable balance, not an account.",
  L: "This is a liquidity pool, not an account.",
  P: "This is a signed payload, not an account.",
  T: "This is the hash of a transaction, not an account.",
  X: "This is a hash to sign with, not an account."
}

/**
 * The canonical form of an address that may receive, or in words why it is none.
 *
 * **Details**
 *
 * Accepted are accounts (`G…`) and muxed accounts (`M…`, an account and a number in it), with a valid checksum and in upper
 * case, which is their canonical form. Secret keys (`S…`) are refused in words that do not repeat them.
 *
 * **Gotchas**
 *
 * A muxed account and the account that it is part of are two addresses here, though one balance on the network.
 */
export const parseStellarAddress = (text: string): Result.Result<string, string> => {
  if (StrKey.isValidEd25519PublicKey(text) || StrKey.isValidMed25519PublicKey(text)) return Result.succeed(text)
  const upper = text.trim().toUpperCase()
  if (upper.startsWith("S") && upper.length === 56 && base32.test(upper)) {
    return Result.fail(
      "This is a SECRET key. Never send it to anybody; consider its funds exposed. Send the public key, which begins with G."
    )
  }
  if (upper !== text && (StrKey.isValidEd25519PublicKey(upper) || StrKey.isValidMed25519PublicKey(upper))) {
    return Result.fail("The address must be in upper case and without spaces around it.")
  }
  if (!base32.test(text)) {
    return Result.fail("This is not an address on stellar: upper-case letters and the digits 2 to 7 are expected.")
  }
  const length = text.startsWith("G") ? 56 : text.startsWith("M") ? 69 : undefined
  if (length === undefined) {
    return Result.fail(
      others[text.slice(0, 1)] ??
        "This is not an address on stellar: G… (an account) or M… (a muxed account) is expected."
    )
  }
  return Result.fail(
    text.length === length
      ? "The checksum of the address is wrong: a character was mistyped."
      : `The address has ${text.length} characters instead of ${length}: it is not complete, or too long.`
  )
}

/**
 * The muxed form (`M…`, CAP-27) of an account and a number from 0 to 2^64 − 1, by which one account can tell many payers
 * apart. Throws on anything else: both come from the service itself.
 */
export const muxed = (account: string, id: bigint): string => {
  if (!StrKey.isValidEd25519PublicKey(account)) throw new Error(`${account} is not an account on stellar`)
  if (id < 0n || id > idMax) throw new Error("the id of a muxed account has 64 bits")
  return new MuxedAccount(new Account(account, "0"), id.toString()).accountId()
}

/** The account and the number that a muxed address consists of; undefined when the text is no muxed address. */
export const demux = (address: string): { readonly account: string; readonly id: bigint } | undefined => {
  if (!StrKey.isValidMed25519PublicKey(address)) return undefined
  const both = MuxedAccount.fromAddress(address, "0")
  return { account: both.baseAccount().accountId(), id: BigInt(both.id()) }
}
