import type { SignTransaction } from "@bursar/core/port/TransactionSigner"
import { givenAs, hashOf, readSigned, readUnsigned, writeUnsignedOf } from "../../outside/accounts/bytes.ts"
import type { AccountNetwork } from "../../outside/accounts/accountNetwork.ts"
import type { Random } from "../../kernel/Random.ts"
import type { Theft } from "./Theft.ts"

type Unsigned = ReturnType<typeof readUnsigned>

/** A number that no transaction of the service comes to. */
const farAway = 1_000_000n

/** For so long what it asks for could be included, where transactions expire. */
const validMs = 60_000

/** What can be tried on a network of accounts: payments are made again, or others, under numbers that are not used, or for another time. */
export const accountTheft = ({ chain, form, stranger }: AccountNetwork, random: Random): Theft => {
  const later = (unsigned: Unsigned, by: bigint): Unsigned =>
    form.expires
      ? { ...unsigned, validUntil: chain.tip().time + validMs, salt: Number(by) }
      : { ...unsigned, sequence: chain.sequenceOf(unsigned.from) + by }

  /** What was asked for, with payments that are changed, and something else said of it. */
  const asking = (
    before: SignTransaction,
    change: (one: Unsigned["payments"][number]) => Partial<Unsigned["payments"][number]>,
    said: Partial<SignTransaction> = {}
  ): ReadonlyArray<SignTransaction> => {
    const unsigned = later(readUnsigned(before.unsigned), 1n + BigInt(random.below(3)))
    const payments = unsigned.payments.map((one) => ({ ...one, ...change(one) }))
    return [{ ...before, ...said, unsigned: writeUnsignedOf({ ...unsigned, payments }) }]
  }

  return {
    isOfUse: ({ asked, hash }) => asked.requests.length > 0 && chain.mined().some((mined) => mined.hash === hash),
    wishes: [
      ["the payment again", (before) => asking(before, () => ({}))],
      ["another receiver", (before) => asking(before, () => ({ to: stranger(random) }))],
      ["one unit more", (before) => asking(before, ({ units }) => ({ units: units + 1n }))],
      ["no request", (before) => asking(before, () => ({}), { requests: [] })],
      [
        "an address as the tenant's",
        (before) => {
          const to = stranger(random)
          const own = [...before.own, ...before.signers.map(({ key }) => ({ key, address: to }))]
          return asking(before, () => ({ to }), { own, requests: [] })
        }
      ]
    ],
    pay: (before, { payment, ...forged }) => {
      const unsigned = { ...later(readUnsigned(before.unsigned), farAway), payments: [payment] }
      return [{ ...before, ...forged, unsigned: writeUnsignedOf(unsigned) }]
    },
    give: ([raw = new Uint8Array()]) => {
      const hash = hashOf(raw)
      chain.take(givenAs(readSigned(raw).transaction, hash))
      return hash
    }
  }
}
