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
import { defaultPolicy, type SignedProduct, TenantId } from "@bursar/core/tenant/Tenant"
import { addEndpoint } from "@bursar/core/webhook/endpointCommands"
import { makeKey } from "@bursar/server"
import { Effect, Redacted } from "effect"
import { keyOf } from "../outside/Approvers.ts"
import { grantIn } from "./grantIn.ts"
import type { Random } from "../kernel/Random.ts"
import { keyPepper, keyPrefix } from "../fleet/settings.ts"
import { beginning, type World } from "../world/World.ts"
import { registersAddresses, type WorldConfig } from "../world/WorldConfig.ts"

/** A partner of the service, with all that it holds itself. */
export interface PartnerOfWorld {
  readonly index: number
  readonly id: TenantId
  readonly apiKey: string
  /** What it signs requests with, and the public side of that: others after its key was rotated. */
  signer: Signer
  key: PublicKey
  /** What its payouts are paid from. */
  readonly wallets: ReadonlyArray<string>
  /** Where it withdraws to. */
  readonly destination: string
  /** What it was given before anything happened, by currency. */
  readonly endowed: ReadonlyMap<string, bigint>
  /** The addresses at which it may be paid, as it was told them. */
  readonly addresses: Array<string>
  /** Those whose keys it holds itself. */
  readonly ownAddresses: Array<string>
  /** Those whose keys it is about to hand over. */
  readonly handing: Set<string>
  /** Its end users, verified or not. */
  readonly clients: Array<Client>
}

/** The public side of a partner's key. */
export interface PublicKey {
  readonly keyid: string
  readonly publicKey: string
}

/** An end user of a partner. */
export interface Client {
  readonly id: string
  registered: boolean
  accountId: string | null
}

/** A pair that requests are signed with. */
export const pairOf = (random: Random) => {
  const { d = "", x = "" } = keyOf(random).export({ format: "jwk" })
  return { kty: "OKP", crv: "Ed25519", d, x } as const
}

/** The secret of every webhook endpoint. */
export const webhookSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw7rPmZ5dM7cQ="

/** Who is being let in, and where. */
interface Newcomer {
  readonly world: World
  readonly index: number
  readonly id: TenantId
  readonly random: Random
}

const submit = <A>(id: TenantId, command: Command<A>) => Effect.flatMap(Writer, (writer) => writer.submit(id, command))

/** What partners have to sign where it is asked of them. */
const signedBy = (config: WorldConfig): ReadonlyArray<SignedProduct> => [
  "withdrawals",
  "swaps",
  "transfers",
  ...(registersAddresses(config) ? (["addresses", "xpubs"] as const) : [])
]

/** Opens a tenant with its limits. */
const openTenant = Effect.fnUntraced(function* ({ id, index, world: { config } }: Newcomer) {
  const tenants = yield* Tenants
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
  const policy = setTenantPolicy({
    ipAllowlist: null,
    destinationCoolingHours: 0,
    payoutReviewUsd: config.reviewUsd,
    payoutLimitUsd: config.limitUsd,
    payoutDailyLimitUsd: config.dailyLimitUsd,
    payoutNewAddressLimitUsd: null,
    slippageBps: config.slippageBps,
    withdrawalReviewUsd: config.reviewUsd,
    withdrawalLimitUsd: config.dailyLimitUsd,
    ...(config.trust?.signedOrders === true && { signaturesRequired: signedBy(config) })
  })
  yield* submit(id, policy)
  yield* submit(id, setTenantStatus("ACTIVE"))
  return tenant
})

/** Gives it a key for calls and one for signatures, and says what it pays. */
const giveKeys = Effect.fnUntraced(function* (
  { id, index, random, world }: Newcomer,
  tenant: Effect.Success<ReturnType<typeof openTenant>>
) {
  const { record, secret } = yield* makeKey({ prefix: keyPrefix, tenant, label: "all", scopes, pepper: keyPepper })
  yield* submit(id, addApiKey(record))
  const apiKey = Redacted.value(secret)
  const signer = yield* Effect.orDie(makeSigner(pairOf(random)))
  const { x } = pairOf(world.random.for(`partner ${index}`)) // its key once more
  yield* submit(id, addSigningKey({ keyid: signer.keyid, apiKeyId: parseKey(apiKey)?.id ?? "", publicKey: x }))
  const fee = { product: null, currency: null, rail: null, percent: world.config.feePercent } as const
  yield* submit(id, addFeeRule({ ...fee, minimumFee: { units: 0n, decimals: 0 }, priority: 1, effectiveFrom: null }))
  return { apiKey, signer, key: { keyid: signer.keyid, publicKey: x } }
})

/** Opens the wallets that pay for it. */
const openWallets = Effect.fnUntraced(function* ({
  id,
  world: {
    config,
    currencies,
    network: { addressOf }
  }
}: Newcomer) {
  const [vault, networks] = [yield* Vault, yield* Networks]
  const { network } = config
  const seedId = yield* vault.createSeed(id)
  const opened: Array<string> = []
  for (let index = 0; index < config.wallets; index++) {
    const publicKey = yield* vault.publicKey({ _tag: "Wallet", tenantId: id, seedId, network, index })
    const [address, keys] = [addressOf(publicKey), keyNamesOf(networks, network, publicKey)]
    const wallet = { network, role: "PAYOUT", another: index > 0, seedId, index, address, keys } as const
    yield* submit(id, addWallet(wallet, currencies.networks))
    opened.push(address)
  }
  return opened
})

/** Gives it money, in the books and outside. */
const endow = Effect.fnUntraced(function* ({ id, world }: Newcomer, wallets: ReadonlyArray<string>) {
  const { accounts, assets, bank, config, currencies, exchange, network } = world
  const endowed = new Map<string, bigint>()
  for (const { bank: atBank, chain: onChain, currency, custodian } of assets.endowments) {
    const contract = currencies.byCode(currency)?.asset?.contract ?? null
    if (onChain > 0n) {
      // outputs are found by the service itself, which books them as nobody's
      const against = accounts === null ? "suspense" : (`chain:${config.network}:payouts` as const)
      yield* submit(id, adjustFloat({ amount: of(onChain, currency), against, reason: "given" }))
      if (accounts !== null)
        for (const wallet of wallets) network.endow(wallet, contract, onChain / BigInt(wallets.length))
    }
    if (custodian > 0n) {
      yield* submit(id, adjustFloat({ amount: of(custodian, currency), against: "custodian", reason: "given" }))
      exchange.endow(currency, custodian)
    }
    if (atBank > 0n) {
      yield* submit(id, adjustFloat({ amount: of(atBank, currency), against: "bank", reason: "given" }))
      bank.endow(currency, atBank)
    }
    endowed.set(currency, onChain + custodian + atBank)
  }
  return endowed
})

/** Verifies where it withdraws to, and takes its webhook. */
const connect = Effect.fnUntraced(function* ({
  id,
  index,
  random,
  world: {
    assets,
    config,
    kernel,
    network: { stranger },
    records
  }
}: Newcomer) {
  const { network } = config
  const destination = stranger(random)
  for (const currency of assets.withdrawn) {
    const proposal = { currency, network, address: destination, memo: null, label: "own", by: "ann" }
    const proposed = yield* submit(id, proposeDestination(proposal))
    yield* submit(id, verifyDestination(proposed.id, "bob"))
    records.destined.push({ tenant: index, at: kernel.now(), currency, address: destination, usableFrom: kernel.now() })
  }
  const box = yield* SecretBox
  const secret = yield* box.seal(id, Redacted.make(webhookSecret))
  yield* submit(id, addEndpoint({ url: `https://partner-${index}.example/hook`, kinds: null, secret }))
  return destination
})

/** Lets a partner in: with keys, fees, limits, a wallet, money in the books and outside, and a webhook. */
export const letIn = Effect.fnUntraced(function* (world: World, index: number) {
  const id = TenantId(`019845e1-682f-7b02-a706-${String(index + 1).padStart(12, "0")}`)
  const newcomer: Newcomer = { world, index, id, random: world.random.for(`partner ${index}`) }
  const { apiKey, key, signer } = yield* giveKeys(newcomer, yield* openTenant(newcomer))
  const wallets = yield* openWallets(newcomer)
  const endowed = yield* endow(newcomer, wallets)
  const destination = yield* connect(newcomer)
  const { currencies, trust } = world
  if (trust !== null) yield* grantIn(world, { trust, currencies, random: newcomer.random.for("grants") }, id)
  return {
    index,
    id,
    apiKey,
    signer,
    key,
    wallets,
    destination,
    endowed,
    addresses: [],
    ownAddresses: [],
    handing: new Set(),
    clients: []
  } satisfies PartnerOfWorld as PartnerOfWorld
})
