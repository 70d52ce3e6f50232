import { Keypair } from "@stellar/stellar-sdk/base"
import type {
  Payment,
  TransactionContent,
  TransactionFormat,
  TransactionSignature
} from "@bursar/core/port/ChainSender"
import { Result } from "effect"
import { accountOfPublicKey } from "./Keys.ts"
import {
  type Action,
  decodePayment,
  decodeSigned,
  hashOf,
  type StellarPayment,
  type DecodedPayment,
  withSignatures
} from "./internal/build/StellarPayment.ts"
import { parseStellarAddress } from "./Address.ts"

/** How transactions of stellar are read. */
export interface StellarCodecOptions {
  /** What transactions are signed for: a signature for one network is none for another. */
  readonly networkPassphrase: string
  /** The pinned assets as code and issuer (`USDC:G…`): payments of others are refused. */
  readonly assets: ReadonlyArray<string>
}

const keyBytes = 32
const signatureBytes = 64

const paymentOf = (
  action: Extract<Action, { readonly _tag: "Create" | "Pay" }>,
  stellarPayment: StellarPayment
): Payment => ({
  to: action.to,
  contract: action._tag === "Pay" ? action.contract : null,
  units: action.units,
  memo: stellarPayment.memo
})

const contentOf = (
  { assets }: StellarCodecOptions,
  { hash, stellarPayment }: DecodedPayment
): Result.Result<TransactionContent, string> => {
  const { action, fee, maxTime, sequence, source } = stellarPayment
  const bounds = { guard: { _tag: "Sequence", account: source, sequence }, validUntil: maxTime * 1_000 } as const
  const digestBy = (address: string) => ({ address, digest: hash })
  if (action._tag === "Nothing")
    return Result.succeed({ payments: [], feeMax: fee, digests: [digestBy(source)], ...bounds })
  const digests = action.from === source ? [digestBy(source)] : [digestBy(source), digestBy(action.from)]
  if (action._tag === "Trust") {
    const { contracts, from: account } = action
    const strange = contracts.find((contract) => !assets.includes(contract))
    if (strange !== undefined) return Result.fail(`${strange} is no asset known here`)
    const trustlines = contracts.map((contract) => ({ account, contract }))
    return Result.succeed({ payments: [], feeMax: fee, digests, ...bounds, trustlines })
  }
  const payment = paymentOf(action, stellarPayment)
  if (payment.contract !== null && !assets.includes(payment.contract)) {
    return Result.fail(`${payment.contract} is no asset known here`)
  }
  return Result.map(parseStellarAddress(payment.to), () => ({
    payments: [payment],
    feeMax: fee,
    digests,
    ...bounds
  }))
}

const faultOf = (
  address: string,
  digest: Uint8Array,
  { bytes, publicKey }: TransactionSignature
): string | undefined => {
  if (publicKey.length !== keyBytes || accountOfPublicKey(publicKey) !== address) {
    return `the signature is not by the key of ${address}`
  }
  return bytes.length === signatureBytes && Keypair.fromPublicKey(address).verify(digest, bytes)
    ? undefined
    : `the signature of ${address} does not fit the transaction`
}

/**
 * How transactions of stellar are written: envelopes in XDR, the unsigned one without signatures.
 *
 * **Details**
 *
 * Understood are one payment of coin or of a pinned asset, one new account, agreements of one account to hold pinned assets
 * without a limit of its own, and a transaction that only uses up its sequence number; each with a time after which it is void,
 * and without any other condition. The source of the transaction may be another account than the one that pays or agrees; then
 * both sign.
 *
 * **Gotchas**
 *
 * Signatures are checked against the accounts' own keys. An account that demands further signers, or has disabled its own key, is
 * not one that this service can pay from.
 */
export const stellarCodec = (options: StellarCodecOptions): TransactionFormat => {
  const { networkPassphrase } = options
  if (networkPassphrase === "") throw new Error("networkPassphrase must not be empty")
  return {
    network: "stellar",
    read: (unsigned) => Result.flatMap(decodePayment(unsigned, networkPassphrase), (read) => contentOf(options, read)),
    readSigned: (raw) => Result.flatMap(decodeSigned(raw, networkPassphrase), (read) => contentOf(options, read)),
    finish: (unsigned, signatures) =>
      Result.flatMap(decodePayment(unsigned, networkPassphrase), (read) =>
        Result.flatMap(contentOf(options, read), ({ digests }) => {
          if (signatures.length !== digests.length) {
            return Result.fail(`${digests.length} signatures are asked for, ${signatures.length} were given`)
          }
          for (const [index, signature] of signatures.entries()) {
            const asked = digests[index]
            const fault = asked === undefined ? "nobody asked for it" : faultOf(asked.address, asked.digest, signature)
            if (fault !== undefined) return Result.fail(fault)
          }
          return Result.succeed({ hash: hashOf(read), raw: withSignatures(unsigned, networkPassphrase, signatures) })
        })
      )
  }
}
