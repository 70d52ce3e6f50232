import type { Signer } from "@bursar/api/signature/signRequest"
import { verifyRequest } from "@bursar/api/signature/verifyRequest"
import { importPublicKey } from "@bursar/api/signature/Ed25519"
import type { SigningRequest } from "@bursar/core/port/TransactionSigner"
import { Clock, Effect, Result } from "effect"
import { authority } from "../../fleet/settings.ts"
import type { World } from "../../world/World.ts"
import { written } from "../meaning.ts"

/** A request for a payout that nobody has sent to the service. */
interface Forged {
  readonly signer: Signer
  readonly publicKey: string
  readonly to: string
  /** What stands for its idempotency key. */
  readonly name: string
  /** How long ago it was signed, in milliseconds. */
  readonly agoMs: number
}

/** What it asks for, in millionths of a dollar. */
const dollars = 12_500_000n

/** What a partner's request for a payout looks like to a signer, with the payment that it asks for. */
export const forgedRequest = Effect.fnUntraced(function* (
  { assets, config, currencies, kernel }: World,
  { agoMs, name, publicKey, signer, to }: Forged
) {
  const [method, path, contentType] = ["POST", "/v1/chain-payouts", "application/json"] as const
  const currency = assets.token ?? assets.coin
  const units = assets.token === null ? assets.coinFor(dollars) : dollars
  const amount = { amount: written(units, currencies.byCode(currency)?.decimals ?? 0), currency }
  const order = { amount, network: config.network, reference: name }
  const body = Buffer.from(JSON.stringify({ ...order, destination: { address: to } }))
  const signing = signer.sign({ method, authority, path, idempotencyKey: name, contentType, body })
  const signed = yield* Effect.provideService(
    signing,
    Clock.Clock,
    kernel.clock(() => -agoMs)
  )
  const headers: Readonly<Record<string, string>> = {
    "content-type": contentType,
    "idempotency-key": name,
    host: authority,
    ...signed
  }
  const { outcome } = yield* verifyRequest(
    { method, target: path, header: (header) => headers[header], body },
    {
      isOurs: () => true,
      findKey: () => Effect.orDie(importPublicKey({ x: publicKey })),
      now: kernel.now() - agoMs
    }
  )
  const { signature, signatureBase } = Result.getOrThrow(outcome)
  const request: SigningRequest = { keyid: signer.keyid, signature, signatureBase, body: body.toString("base64") }
  return { request, payment: { to, contract: currencies.byCode(currency)?.asset?.contract ?? null, units } }
})
