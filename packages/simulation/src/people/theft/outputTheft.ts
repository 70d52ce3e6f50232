import { bitcoinCodec } from "@bursar/bitcoin/Codec"
import type { TransactionContent } from "@bursar/core/port/ChainSender"
import type { SignTransaction } from "@bursar/core/port/TransactionSigner"
import { decodeTx } from "@bursar/simulator-bitcoin/Tx"
import { Result } from "effect"
import type { Random } from "../../kernel/Random.ts"
import type { BitcoinNetwork } from "../../outside/bitcoin/bitcoinNetwork.ts"
import { joinSigned, type Spent, writeUnsigned } from "../../outside/bitcoin/bytes.ts"
import type { SignerDesk } from "../../process/SignerDesk.ts"
import type { Asks, Theft } from "./Theft.ts"

type Payments = ReadonlyArray<{ readonly to: string; readonly units: bigint }>

/** What such a transaction costs, about. */
const usualFee = 5_000n

/** More than any transaction of a few inputs may cost. */
const eaten = 1_000_000n

const nameOf = ({ txHash, vout }: Pick<Spent, "txHash" | "vout">): string => `${txHash}:${vout}`

const sumOf = (all: ReadonlyArray<{ readonly units: bigint }>): bigint =>
  all.reduce((sum, { units }) => sum + units, 0n)

/**
 * What can be tried on bitcoin: other outputs are spent for a payment that was made, or the same ones for others in its place; change goes
 * elsewhere, or to whoever mines.
 */
export const outputTheft = (
  { chain, stranger }: BitcoinNetwork,
  { signings }: Pick<SignerDesk, "signings">,
  random: Random
): Theft => {
  const { read } = bitcoinCodec({ chain: "regtest" })
  const contents = new Map<Uint8Array, TransactionContent>()
  const contentOf = ({ unsigned }: SignTransaction): TransactionContent => {
    const content = contents.get(unsigned) ?? Result.getOrThrow(read(unsigned))
    contents.set(unsigned, content)
    return content
  }
  const spentBy = (asked: SignTransaction): ReadonlyArray<Spent> => {
    const { guard } = contentOf(asked)
    return guard._tag === "Utxos" ? guard.utxos : []
  }
  const keyed = ({ own, signers }: SignTransaction) => [...signers, ...own]
  /** What a transaction pays to the tenant, and to others. */
  const paidBy = (asked: SignTransaction) => {
    const addresses = new Set(keyed(asked).map(({ address }) => address))
    const { payments } = contentOf(asked)
    return {
      own: payments.filter(({ to }) => addresses.has(to)),
      others: payments.filter(({ to }) => !addresses.has(to))
    }
  }
  const walletOf = (asked: SignTransaction): string =>
    (keyed(asked).find(({ key }) => key._tag === "Wallet") ?? keyed(asked)[0])?.address ?? ""

  /** What the keys of a transaction could spend now, and what nothing that was signed spends. */
  const unspentBy = (asked: SignTransaction): ReadonlyArray<Spent> => {
    const signed = new Set(signings.flatMap((one) => spentBy(one.asked)).map(nameOf))
    return [...new Set(keyed(asked).map(({ address }) => address))]
      .flatMap((address) => chain.unspentOf(address))
      .filter((one) => !signed.has(nameOf(one)))
  }

  const asking = (before: SignTransaction, spent: ReadonlyArray<Spent>, paid: Payments): SignTransaction => ({
    ...before,
    unsigned: writeUnsigned(spent, paid)
  })

  /** Payments by outputs of somebody that nobody has spent. */
  const anew = (before: SignTransaction, paid: Payments, owner = before): Asks | undefined => {
    const spent: Array<Spent> = []
    for (const one of unspentBy(owner)) {
      if (sumOf(spent) >= sumOf(paid) + 2n * usualFee) break
      spent.push(one)
    }
    const change = { to: walletOf(owner), units: sumOf(spent) - sumOf(paid) - usualFee }
    return paid.length > 0 && change.units >= usualFee ? [asking(before, spent, [...paid, change])] : undefined
  }

  /** Something else in the place of what was signed. */
  const instead = (before: SignTransaction, paid: Payments): Asks => [asking(before, spentBy(before), paid)]

  const anyhow = (before: SignTransaction, paid: Payments): Asks | undefined =>
    random.chance(500) ? instead(before, [...paid, ...paidBy(before).own]) : anew(before, paid)

  /** Somebody else's transaction, or another of the same tenant. */
  const another = (
    before: SignTransaction,
    isOther: (asked: SignTransaction) => boolean
  ): SignTransaction | undefined => {
    const others = signings.map(({ asked }) => asked).filter((asked) => asked !== before && isOther(asked))
    return others[random.below(others.length)]
  }

  return {
    isOfUse: () => true,
    wishes: [
      ["the payment again", (before) => anew(before, paidBy(before).others)],
      [
        "another receiver",
        (before) => {
          const [first, ...others] = paidBy(before).others
          return first && anyhow(before, [{ ...first, to: stranger(random) }, ...others])
        }
      ],
      [
        "one unit more",
        (before) => {
          const [first, ...others] = paidBy(before).others
          return first && anyhow(before, [{ ...first, units: first.units + 1n }, ...others])
        }
      ],
      [
        "change to another",
        (before) => {
          const { others } = paidBy(before)
          // one more, as what replaces a transaction may have
          const spent = [...spentBy(before), ...unspentBy(before).slice(0, 1)]
          const units = sumOf(spent) - sumOf(others) - usualFee
          return units < usualFee ? undefined : [asking(before, spent, [...others, { to: stranger(random), units }])]
        }
      ],
      ["no request", (before) => anew({ ...before, requests: [] }, [{ to: stranger(random), units: 100_000n }])],
      [
        "an address as the tenant's",
        (before) => {
          const to = stranger(random)
          const own = [...before.own, ...before.signers.map(({ key }) => ({ key, address: to }))]
          return anew({ ...before, own, requests: [] }, [{ to, units: 100_000n }])
        }
      ],
      [
        "the request of another payment",
        (before) => {
          const { others: paid } = paidBy(before)
          const isOther = (asked: SignTransaction): boolean =>
            asked.requests.length > 0 &&
            !paidBy(asked).others.some(({ to, units }) => paid.some((one) => one.to === to && one.units === units))
          const other = another(before, isOther)
          return other && anyhow({ ...before, requests: other.requests }, paid)
        }
      ],
      [
        "outputs of another tenant",
        (before) => {
          const other = another(before, ({ tenantId }) => tenantId !== before.tenantId)
          const signers = [...before.signers, ...(other?.signers ?? [])]
          return other && anew({ ...before, signers }, paidBy(before).others, other)
        }
      ],
      [
        "all to the fee",
        (before) => {
          const [first] = unspentBy(before)
          if (first === undefined || first.units < 2n * eaten) return undefined
          const paid = { to: walletOf(before), units: usualFee }
          return [asking({ ...before, requests: [] }, [first], [paid])]
        }
      ],
      [
        // each signature covers what its own output is said to hold, and not what the others are
        "lies about what outputs hold",
        (before) => {
          const [one, other] = unspentBy(before).toSorted((a, b) => (a.units < b.units ? 1 : -1))
          if (one === undefined || other === undefined || other.units < eaten) return undefined
          const paid = [{ to: walletOf(before), units: one.units }]
          const own = { ...before, requests: [] }
          return [
            asking(own, [one, { ...other, units: usualFee }], paid),
            asking(own, [{ ...one, units: one.units + usualFee - other.units }, other], paid)
          ]
        }
      ]
    ],
    pay: (before, { payment, ...forged }) => anew({ ...before, ...forged }, [payment]),
    give: (signed) => {
      const hex = joinSigned(signed)
      chain.relay("own", hex)
      return decodeTx(hex)?.txid ?? ""
    }
  }
}
