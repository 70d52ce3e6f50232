import { createECDH } from "node:crypto"
import { addressOfPublicKey } from "@bursar/evm/Keys"
import type { Source } from "./Asked.ts"
import { addressOn, networks, xpubOn } from "./wallets.ts"

/** What pays on each network. */
const coins = {
  tron: ["USDT_TRON", "TRX", "USDC_TRON"],
  ethereum: ["USDT_ETH", "ETH", "USDC_ETH"],
  bsc: ["USDT_BSC", "BNB", "USDC_BSC"],
  base: ["USDC_BASE", "ETH_BASE", "USDT_BASE"],
  bitcoin: ["BTC", "BTC", "BTC"],
  stellar: ["XLM", "XLM", "USDC_XLM"]
} as const

const small: Readonly<Record<string, string>> = {
  BTC: "0.001",
  ETH: "0.001",
  ETH_BASE: "0.001",
  BNB: "0.01",
  TRX: "3",
  XLM: "3"
}

const amountOf = ({ random }: Source, currency: string): string => {
  const least = small[currency] ?? "1"
  return random.chance(900)
    ? `${least}${random.below(10)}`.replace(/^(\d+)$/u, "$1.5")
    : String(random.below(2_000_000))
}

const money = (source: Source, currency: string) => ({ amount: amountOf(source, currency), currency })

const networkOf = ({ random }: Source) => random.pick(networks)

const coinOf = (source: Source) => {
  const network = networkOf(source)
  return { network, currency: source.random.pick(coins[network]) }
}

const maybe = <A>({ random }: Source, perThousand: number, value: A): A | undefined =>
  random.chance(perThousand) ? value : undefined

const registration = (source: Source) => ({
  addresses: Array.from({ length: 1 + source.random.below(3) }, () => {
    const network = networkOf(source)
    return { network, address: addressOn(network, source.random), reference: source.unique }
  })
})

const counted = (source: Source) => ({
  network: networkOf(source),
  reference: source.unique,
  count: 1 + source.random.below(3)
})

const importedKey = (source: Source) => {
  const secret = Uint8Array.of(0, 2, ...source.random.bytes(30))
  const pair = createECDH("secp256k1")
  pair.setPrivateKey(secret)
  return {
    network: source.random.pick(["ethereum", "bsc", "base"]),
    address: addressOfPublicKey(new Uint8Array(pair.getPublicKey(null, "compressed"))),
    wrapped_b64: source.wrap(secret)
  }
}

const payout = (source: Source) => {
  const { currency, network } = coinOf(source)
  return {
    amount: money(source, currency),
    network,
    destination: { address: addressOn(network, source.random) },
    reference: source.unique
  }
}

const swap = (source: Source) => {
  const { currency } = coinOf(source)
  return {
    amount: money(source, currency),
    to_currency: source.random.pick(coins[networkOf(source)]),
    customer_id: maybe(source, 200, source.id("customer")),
    quote_id: maybe(source, 300, source.id("quote")),
    partner_reference: source.unique
  }
}

const transfer = (source: Source) => {
  const kind = source.random.pick(["BANK_TRANSFER", "OFF_RAMP", "ON_RAMP", "INTERNAL_TRANSFER", "REFUND"])
  const account =
    kind === "REFUND" ? source.id("transfer") : kind === "INTERNAL_TRANSFER" ? source.id("account") : undefined
  return {
    kind,
    amount: money(source, kind === "OFF_RAMP" ? coinOf(source).currency : "EUR"),
    customer_id: maybe(source, kind === "BANK_TRANSFER" ? 200 : 900, source.id("customer")),
    beneficiary_name: "Rui Costa",
    beneficiary_account: account ?? "PT50000201231234567890154",
    beneficiary_country: "PT",
    rail: account === undefined ? "SEPA" : undefined,
    quote_id: maybe(source, 100, source.id("quote")),
    partner_reference: source.unique
  }
}

const quote = (source: Source) => {
  const product = source.random.pick([
    "SWAP",
    "SWAP",
    "BANK_TRANSFER",
    "OFF_RAMP",
    "ON_RAMP",
    "WITHDRAWAL",
    "CHAIN_PAYOUT"
  ])
  const { currency } = coinOf(source)
  const other = coinOf(source).currency
  return {
    product,
    amount: money(source, product === "BANK_TRANSFER" || product === "ON_RAMP" ? "EUR" : currency),
    to_currency:
      product === "SWAP" ? other : product === "OFF_RAMP" ? "EUR" : product === "ON_RAMP" ? other : undefined,
    rail: maybe(source, 200, "SEPA"),
    customer_id: maybe(source, 200, source.id("customer"))
  }
}

const proof = (source: Source) => {
  const { currency, network } = coinOf(source)
  return {
    rail: { currency, network },
    tx_hash: `${network === "ethereum" || network === "bsc" || network === "base" ? "0x" : ""}${Buffer.from(source.random.bytes(32)).toString("hex")}`,
    destination: addressOn(network, source.random),
    amount: money(source, currency),
    senders: [addressOn(network, source.random)]
  }
}

/** Bodies that the service can be expected to take, by operation. One that is missing here is asked for by its schema. */
export const likelyBodies: Readonly<Record<string, (source: Source) => unknown>> = {
  "POST /v1/deposit-addresses": registration,
  "POST /v1/deposit-addresses/derive": counted,
  "POST /v1/deposit-addresses/issue": counted,
  "POST /v1/deposit-addresses/{address_id}/sweep-hold": (source) => ({
    held: source.random.chance(500),
    reason: source.unique,
    seen_through: maybe(source, 300, source.random.below(100))
  }),
  "POST /v1/deposit-keys": importedKey,
  "POST /v1/deposit-xpubs": (source) => {
    const network = networkOf(source)
    const from = source.random.below(1_000)
    return {
      network,
      xpub: xpubOn(network, source.random),
      index_from: from,
      index_to: from + source.random.below(1_000)
    }
  },
  "POST /v1/chain-payouts": payout,
  "POST /v1/withdrawals": (source) => ({
    amount: money(source, coinOf(source).currency),
    partner_reference: source.unique
  }),
  "POST /v1/payments/proof": proof,
  "POST /v1/quotes": quote,
  "POST /v1/swaps": swap,
  "POST /v1/customers": (source) => ({
    external_id: source.unique,
    is_business: source.random.chance(200),
    country: "PT"
  }),
  "POST /v1/customers/{customer_id}/provider-registration": () => ({
    first_name: "Ana",
    last_name: "Silva",
    date_of_birth: "1990-04-01",
    document_kind: "PASSPORT",
    document_number: "P0000000",
    document_country: "PT"
  }),
  "POST /v1/accounts": (source) => ({ customer_id: source.id("customer"), currency: "EUR", country: "PT" }),
  "POST /v1/transfers": transfer,
  "POST /v1/signature/verify": (source) => ({ hello: source.unique })
}

/** Values that the filters of lists can be expected to take. */
export const likelyQuery: Readonly<Record<string, (source: Source) => string>> = {
  acts_for: ({ random }) => random.pick(["TENANT", "CUSTOMER"]),
  address: (source) => addressOn(networkOf(source), source.random),
  amount: ({ random }) => `${random.below(100)}.5`,
  country: () => "PT",
  currency: (source) => coinOf(source).currency,
  kind: ({ random }) =>
    random.pick(["DEPOSIT", "CHAIN_PAYOUT", "WITHDRAWAL", "SWAP", "ON_RAMP", "OFF_RAMP", "BANK_TRANSFER"]),
  network: networkOf,
  status: ({ random }) => random.pick(["ACCEPTED", "SETTLED", "FAILED", "PROCESSING", "PENDING", "AWAITING_FUNDS"]),
  reference: ({ unique }) => unique,
  partner_reference: ({ unique }) => unique
}
