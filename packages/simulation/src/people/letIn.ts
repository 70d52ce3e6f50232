import { makeSigner, type Signer } from "@bursar/api/signature/signRequest"
import { scopes } from "@bursar/api/scopes/Scopes"
import { parseKey } from "@bursar/core/access/KeyFormat"
import { addApiKey, setTenantPolicy, setTenantStatus } from "@bursar/core/access/tenantCommands"
import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import { proposeDestination, verifyDestination } from "@bursar/core/destination/destinationCommands"
import type { Command } from "@bursar/core/engine/Command"
import { Writer } from "@bursar/core/engine/Writer"
import { of } from "@bursar/core/money/Amount"
import { keyNamesOf, Networks } from "@bursar/core/port/Networks"
import { SecretBox } from "@bursar/core/port/SecretBox"
import { Tenants } from "@bursar/core/port/Tenants"
import { Vault } from "@bursar/core/port/Vault"
import { addFeeRule } from "@bursar/core/pricing/feeRuleCommands"
import { addWallet } from "@bursar/core/provisioning/addWallet"
import { addSigningKey } from "@bursar/core/signature/signingKeyCommands"
import { defaultPolicy, TenantId } from "@bursar/core/tenant/Tenant"
import { addEndpoint } from "@bursar/core/webhook/endpointCommands"
import { checksummed } from "@bursar/evm/Address"
import { addressOfPublicKey } from "@bursar/evm/Keys"
import { makeKey } from "@bursar/server"
import { Effect, Redacted } from "effect"
import { createPrivateKey } from "node:crypto"
import type { Random } from "../kernel/Random.ts"
import { keyPepper, keyPrefix } from "../fleet/settings.ts"
import { beginning, type World } from "../world/World.ts"

/** A partner of the service, with all that it holds itself. */
export interface PartnerOfWorld {
  readonly index: number
  readonly id: TenantId
  readonly apiKey: string
  readonly signer: Signer
  readonly wallet: string
  /** Where it withdraws to. */
  readonly destination: string
  /** What it was given before anything happened, by currency. */
  readonly endowed: ReadonlyMap<string, bigint>
  /** The addresses at which it may be paid, as it was told them. */
  readonly addresses: Array<string>
}

/** An address of nobody here. */
export const strangerAt = (random: Random): string => checksummed(`0x${Buffer.from(random.bytes(20)).toString("hex")}`)

/** The DER in front of the 32 bytes of an Ed25519 private key (RFC 8410). */
const pkcs8Head = Buffer.from("302e020100300506032b657004220420", "hex")

const pairOf = (random: Random) => {
  const key = createPrivateKey({
    key: Buffer.concat([pkcs8Head, random.bytes(32)]),
    format: "der",
    type: "pkcs8"
  })
  const { d = "", x = "" } = key.export({ format: "jwk" })
  return { kty: "OKP", crv: "Ed25519", d, x } as const
}

/** The secret of every webhook endpoint. */
export const webhookSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw7rPmZ5dM7cQ="

/** What everybody starts with, and where it stands. */
const endowments = [
  { currency: "USDT_ETH", chain: 20_000_000_000n, custodian: 20_000_000_000n },
  { currency: "USDC_ETH", chain: 0n, custodian: 20_000_000_000n },
  { currency: "ETH", chain: 50_000_000_000_000_000_000n, custodian: 0n }
]

/** Lets a partner in: with keys, fees, limits, a wallet, money in the books and outside, and a webhook. */
export const letIn = Effect.fnUntraced(function* (world: World, index: number) {
  const { chain, config, currencies, exchange } = world
  const random = world.random.for(`partner ${index}`)
  const id = TenantId(`019845e1-682f-7b02-a706-${String(index + 1).padStart(12, "0")}`)
  const [tenants, writer, vault, networks, box] = [
    yield* Tenants,
    yield* Writer,
    yield* Vault,
    yield* Networks,
    yield* SecretBox
  ]
  const submit = <A>(command: Command<A>) => writer.submit(id, command)
  const tenant = {
    id,
    slug: `partner-${index}`,
    name: `Partner ${index}`,
    kind: "SANDBOX" as const,
    status: "ONBOARDING" as const,
    policy: defaultPolicy,
    createdAt: beginning
  }
  yield* tenants.create(tenant)
  yield* submit(
    setTenantPolicy({
      ipAllowlist: null,
      destinationCoolingHours: 0,
      payoutReviewUsd: config.reviewUsd,
      payoutLimitUsd: config.limitUsd,
      payoutDailyLimitUsd: config.dailyLimitUsd,
      payoutNewAddressLimitUsd: null,
      withdrawalReviewUsd: config.reviewUsd,
      withdrawalLimitUsd: config.dailyLimitUsd
    })
  )
  yield* submit(setTenantStatus("ACTIVE"))
  const { record, secret } = yield* makeKey({ prefix: keyPrefix, tenant, label: "all", scopes, pepper: keyPepper })
  yield* submit(addApiKey(record))
  const apiKey = Redacted.value(secret)
  const signer = yield* Effect.orDie(makeSigner(pairOf(random)))
  const { x } = pairOf(world.random.for(`partner ${index}`))
  yield* submit(addSigningKey({ keyid: signer.keyid, apiKeyId: parseKey(apiKey)?.id ?? "", publicKey: x }))
  yield* submit(
    addFeeRule({
      product: null,
      currency: null,
      rail: null,
      percent: config.feePercent,
      minimumFee: { units: 0n, decimals: 0 },
      priority: 1,
      effectiveFrom: null
    })
  )
  const { network } = config
  const seedId = yield* vault.createSeed(id)
  const publicKey = yield* vault.publicKey({ _tag: "Wallet", tenantId: id, seedId, network, index: 0 })
  const wallet = addressOfPublicKey(publicKey)
  const keys = keyNamesOf(networks, network, publicKey)
  yield* submit(addWallet({ network, role: "PAYOUT", seedId, index: 0, address: wallet, keys }, currencies.networks))
  const endowed = new Map<string, bigint>()
  for (const { chain: onChain, currency, custodian } of endowments) {
    const contract = currencies.byCode(currency)?.asset?.contract ?? null
    if (onChain > 0n) {
      yield* submit(
        adjustFloat({ amount: of(onChain, currency), against: `chain:${network}:payouts`, reason: "given" })
      )
      chain.endow(wallet, contract, onChain)
    }
    if (custodian > 0n) {
      yield* submit(adjustFloat({ amount: of(custodian, currency), against: "custodian", reason: "given" }))
      exchange.endow(currency, custodian)
    }
    endowed.set(currency, onChain + custodian)
  }
  const destination = strangerAt(random)
  for (const currency of ["USDT_ETH", "USDC_ETH"]) {
    const proposed = yield* submit(
      proposeDestination({ currency, network, address: destination, memo: null, label: "own", by: "ann" })
    )
    yield* submit(verifyDestination(proposed.id, "bob"))
  }
  const url = `https://partner-${index}.example/hook`
  yield* submit(addEndpoint({ url, kinds: null, secret: yield* box.seal(id, Redacted.make(webhookSecret)) }))
  const partner: PartnerOfWorld = { index, id, apiKey, signer, wallet, destination, endowed, addresses: [] }
  return partner
})
