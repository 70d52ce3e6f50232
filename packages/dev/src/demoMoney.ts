import { destinationLogKey, digestParam, readDestinationLog } from "@bursar/core/checker/destinationLog"
import { Writer } from "@bursar/core/engine/Writer"
import { type Amount, parse } from "@bursar/core/money/Amount"
import type { Asset, Currency } from "@bursar/core/money/Currency"
import type { Network } from "@bursar/core/money/Network"
import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import { addWallet, payoutWalletIndex } from "@bursar/core/provisioning/addWallet"
import { adapterOf, keyNamesOf, Networks } from "@bursar/core/port/Networks"
import { OperatorAudit } from "@bursar/core/port/OperatorAudit"
import { Queries } from "@bursar/core/store/Queries"
import { Vault } from "@bursar/core/port/Vault"
import { addFeeRule } from "@bursar/core/pricing/feeRuleCommands"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { setTenantPolicy } from "@bursar/core/access/tenantCommands"
import { proposeDestination, verifyDestination } from "@bursar/core/destination/destinationCommands"
import { destinationDigest } from "@bursar/core/destination/destinationDigest"
import type { Payer } from "@bursar/sandbox"
import { Clock, Effect, Result, Schedule } from "effect"
import { Destination } from "@bursar/core/destination/Destination"
import { FeeRule } from "@bursar/core/pricing/FeeRule"
import { localCurrencies } from "./localCurrencies.ts"

/** What a demo tenant starts with of each currency: in its payout wallet, and at the custodian or the bank. */
const portions: Readonly<Record<string, { readonly wallet: string; readonly elsewhere: string }>> = {
  BTC: { wallet: "5", elsewhere: "5" },
  ETH: { wallet: "50", elsewhere: "50" },
  BNB: { wallet: "100", elsewhere: "100" },
  ETH_BASE: { wallet: "50", elsewhere: "50" },
  TRX: { wallet: "500000", elsewhere: "100000" },
  XLM: { wallet: "100000", elsewhere: "100000" }
}

const tokenPortion = { wallet: "50000", elsewhere: "50000" }

const fiatPortion = { wallet: "0", elsewhere: "50000" }

/** Fiat that the demo tenant has at the bank. */
const demoFiat: ReadonlySet<string> = new Set(["EUR"])

/** Where the demo tenant withdraws to on each network: addresses of nobody, well-formed on the local chains. */
const destinations = new Map<Network, string>(
  Object.entries({
    ethereum: "0x000000000000000000000000000000000000dEaD",
    bsc: "0x000000000000000000000000000000000000dEaD",
    base: "0x000000000000000000000000000000000000dEaD",
    bitcoin: "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080",
    tron: "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8",
    stellar: "GAAZI4TCR3TY5OJHCTJC2A4QSY6CJWJH5IAJTGKIN2ER7LBNVKOCCWN7"
  })
)

const demoChecker = "demo-checker"

/** So wide that nothing of the demo meets them. */
const wide = {
  withdrawalLimitUsd: "10000000",
  destinationCoolingHours: 0,
  payoutLimitUsd: "1000000",
  payoutDailyLimitUsd: "10000000",
  payoutNewAddressLimitUsd: "10000000",
  payoutReviewUsd: "100000"
} as const

const amountOf = (currency: Currency, text: string): Amount | undefined => Result.getOrUndefined(parse(text, currency))

const portionOf = (currency: Currency) =>
  currency.asset === null
    ? demoFiat.has(currency.code)
      ? fiatPortion
      : undefined
    : (portions[currency.code] ?? tokenPortion)

/** Where the demo tenant has what it has beside its wallets. */
const elsewhereOf = ({ asset }: Pick<Currency, "asset">): "bank" | "custodian" =>
  asset === null ? "bank" : "custodian"

/** What a provider of the sandbox holds at first, by currency: what the demo tenant has there by the books, and nothing else. */
export const stockOf = (place: "bank" | "custodian"): Readonly<Record<string, string>> =>
  Object.fromEntries(
    localCurrencies.all.flatMap((currency) => {
      const portion = portionOf(currency)
      return portion === undefined || elsewhereOf(currency) !== place ? [] : [[currency.code, portion.elsewhere]]
    })
  )

/** Makes the tenant's payout wallet on a network, or finds it. */
const openWallet = Effect.fnUntraced(function* (tenantId: TenantId, network: Network) {
  const writer = yield* Writer
  const vault = yield* Vault
  const networks = yield* Networks
  const index = payoutWalletIndex
  const seedId = yield* vault.createSeed(tenantId)
  const key = yield* vault.publicKey({ _tag: "Wallet", tenantId, seedId, network, index })
  const [address] = adapterOf(networks, network).keys.addressesOf(key)
  if (address === undefined) return yield* Effect.die(new Error(`a key has no address on ${network}`))
  const keys = keyNamesOf(networks, network, key)
  return yield* writer.submit(
    tenantId,
    addWallet({ network, role: "PAYOUT", seedId, index, address, keys }, localCurrencies.networks)
  )
})

/** Sends what the tenant starts with to its wallet, unless something is there already. */
const fundWallet = Effect.fnUntraced(function* (payer: Payer, address: string, asset: Asset, amount: Amount) {
  const sender = (yield* Networks).get(asset.network)?.sender
  if (sender === undefined) return
  if ((yield* sender.balance(address, asset.contract)) > 0n) return
  yield* payer.pay({ ...asset, units: amount.units, to: address, memo: null })
})

const coinsFirst = (one: Currency, other: Currency): number =>
  Number(one.kind === "TOKEN") - Number(other.kind === "TOKEN")

/**
 * Sends a currency to the wallet. An account on stellar can take an asset only once the service has agreed to hold it, which
 * happens a moment after its coin has arrived: that is waited for beside everything else.
 */
const fundCurrency = Effect.fnUntraced(function* (payer: Payer, address: string | undefined, currency: Currency) {
  const portion = portionOf(currency)
  const amount = portion === undefined ? undefined : amountOf(currency, portion.wallet)
  const { asset } = currency
  if (asset === null || address === undefined || amount === undefined) return
  const waits = asset.network === "stellar" && asset.contract !== null
  const funding = fundWallet(payer, address, asset, amount).pipe(
    Effect.retry({ schedule: Schedule.spaced("1 second"), times: waits ? 120 : 5 }),
    Effect.catch((error) =>
      Effect.annotateLogs(Effect.logWarning("demo.wallet_not_funded"), {
        currency: currency.code,
        detail: error.message
      })
    )
  )
  yield* waits ? Effect.asVoid(Effect.forkScoped(funding)) : funding
})

const bookFloat = Effect.fnUntraced(function* (tenantId: TenantId, currency: Currency) {
  const writer = yield* Writer
  const portion = portionOf(currency)
  if (portion === undefined) return
  const elsewhere = elsewhereOf(currency)
  for (const [against, text] of [
    // what arrives at the wallet is booked against suspense: this says whose it is
    ["suspense", portion.wallet],
    [elsewhere, portion.elsewhere]
  ] as const) {
    const amount = amountOf(currency, text)
    if (amount === undefined) continue
    yield* writer.submit(tenantId, adjustFloat({ amount, against, reason: "demo money" }))
  }
})

/** Writes into the log of operators' actions what the demo verified: the checker holds every destination against it. */
const logVerifications = Effect.fnUntraced(function* (tenantId: TenantId) {
  const queries = yield* Queries
  const audit = yield* OperatorAudit
  const logged = yield* readDestinationLog()
  for (const one of yield* queries.records(tenantId, Destination)) {
    if (one.verifiedBy !== demoChecker || logged.has(destinationLogKey(tenantId, one.id))) continue
    yield* audit.append({
      content: null,
      actionId: crypto.randomUUID(),
      at: yield* Clock.currentTimeMillis,
      operator: demoChecker,
      role: "admin",
      method: "POST",
      route: "/operator/v1/tenants/:tenant_id/destinations/:destination_id/verify",
      params: { tenant_id: tenantId, destination_id: one.id, [digestParam]: yield* destinationDigest(one) },
      status: 200,
      requestId: "demo",
      address: ""
    })
  }
})

const networkNames = localCurrencies.networks.all.map(({ name }) => name)

/**
 * Gives a demo tenant all that it needs to do everything, but for coins: wide limits, fee rules, a payout wallet on each network, a
 * float, and destinations. What is there already stays as it is, so it may be called at every start. Succeeds with the wallets' addresses.
 */
export const prepareDemo = Effect.fn("dev.prepareDemo")(function* (id: string) {
  const tenantId = TenantId(id)
  const writer = yield* Writer
  const queries = yield* Queries
  if ((yield* queries.records(tenantId, FeeRule)).length === 0) {
    yield* writer.submit(tenantId, setTenantPolicy(wide))
    for (const [product, tenthsOfPercent] of [
      ["SWAP", 5n],
      ["WITHDRAWAL", 1n],
      ["CHAIN_PAYOUT", 1n],
      ["OFF_RAMP", 10n],
      ["BANK_TRANSFER", 2n],
      ["ON_RAMP", 10n]
    ] as const) {
      const percent = { units: tenthsOfPercent, decimals: 1 }
      const any = { currency: null, rail: null, minimumFee: { units: 0n, decimals: 0 }, effectiveFrom: null }
      yield* writer.submit(tenantId, addFeeRule({ product, percent, priority: 100, ...any }))
    }
  }
  const wallets = new Map<Network, string>()
  for (const network of networkNames) wallets.set(network, (yield* openWallet(tenantId, network)).address)
  const there = new Set((yield* queries.float(tenantId)).map(({ currency }) => currency))
  const decided = new Set((yield* queries.records(tenantId, Destination)).map(({ currency }) => currency))
  for (const currency of localCurrencies.all) {
    if (!there.has(currency.code)) yield* bookFloat(tenantId, currency)
    const { asset } = currency
    const address = asset === null ? undefined : destinations.get(asset.network)
    if (asset === null || address === undefined || decided.has(currency.code)) continue
    const proposal = { currency: currency.code, network: asset.network, address }
    const proposed = yield* writer.submit(
      tenantId,
      proposeDestination({ ...proposal, memo: null, label: "Demo treasury", by: "demo-maker" })
    )
    yield* writer.submit(tenantId, verifyDestination(proposed.id, demoChecker))
  }
  yield* logVerifications(tenantId)
  return wallets
})

/** Sends coins and tokens to wallets that have none. */
export const fundWallets = Effect.fn("dev.fundWallets")(function* (
  wallets: ReadonlyMap<Network, string>,
  payer: Payer
) {
  yield* Effect.forEach(
    networkNames,
    (network) =>
      Effect.forEach(
        localCurrencies.all.filter((currency) => currency.asset?.network === network).toSorted(coinsFirst),
        (currency) => fundCurrency(payer, wallets.get(network), currency),
        { discard: true }
      ),
    { concurrency: "unbounded", discard: true }
  )
})
