import type { Paid } from "../outside/Chain.ts"
import type { World } from "../world/World.ts"
import { countTransfers, judgeAccounts, judgeRefunds, judgeTransfers } from "./judgeBank.ts"
import { feeOf, type Purse, type Purses, purseOf, unitsOf } from "../model/money.ts"
import { booked } from "./booked.ts"
import { judgeCustody } from "./judgeCustody.ts"
import { judgeEarnings } from "./judgeEarnings.ts"
import type { Carried, Charging } from "./judgeRequests.ts"
import type { Told } from "./Told.ts"

const contractOf = (world: World, currency: string): string | null =>
  world.currencies.byCode(currency)?.asset?.contract ?? null

const keyOf = (to: string | null, contract: string | null, units: bigint): string =>
  `${units} of ${contract ?? "the native asset"} to ${to}`

const counted = (keys: ReadonlyArray<string>): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1)
  return counts
}

/** What a partner's wallet has paid to somebody else. */
const paidByWallet = ({ chain, records }: World, { partner }: Told): ReadonlyArray<Paid> => {
  const own = new Set([...partner.wallets, ...partner.addresses])
  return chain
    .mined()
    .filter(({ from, hash, reverted }) => !reverted && own.has(from) && !records.movedByPartners.has(hash))
    .flatMap(({ payments }) => payments.filter(({ to }) => !own.has(to)))
}

/** What the chain shows of payouts is what the service says of them. */
const judgePayouts = (world: World, told: Told, carried: ReadonlyArray<Carried>): ReadonlyArray<string> => {
  const paid = counted(paidByWallet(world, told).map(({ contract, to, units }) => keyOf(to, contract, units)))
  const settled = counted(
    carried
      .filter(({ entry }) => entry.kind === "CHAIN_PAYOUT" && entry.status === "SETTLED")
      .map(({ variant: { meant } }) => keyOf(meant.to, contractOf(world, meant.currency), meant.units))
  )
  return [...new Set([...paid.keys(), ...settled.keys()])]
    .filter((key) => paid.get(key) !== settled.get(key))
    .map((key) => `${key} was paid ${paid.get(key) ?? 0} times, and said to be ${settled.get(key) ?? 0} times`)
}

/** The kinds that the chain or the custodian carries out. */
const chainAndCustody: ReadonlySet<string> = new Set(["CHAIN_PAYOUT", "WITHDRAWAL", "SWAP"])

/** Takes from a purse what chain, custodian and bank carried out, and its fees, and adds what that brought. The other gets the fees. */
export const countCarried = (
  world: Pick<World, "bank" | "exchange"> & Charging,
  purses: Purses,
  carried: ReadonlyArray<Carried>
): void => {
  const { config, exchange } = world
  const { earned, own } = purses
  for (const { entry, variant } of carried) {
    if (entry.status !== "SETTLED" || !chainAndCustody.has(entry.kind)) continue
    const { currency, quote, units } = variant.meant
    const fee = feeOf(units, config.feePercent)
    own.add(currency, -units - fee)
    earned.add(currency, fee)
    const done = exchange.carriedOut.find(({ reference }) => reference === entry.id)
    if (done?.received == null) continue
    // a quote is kept: what the market gave less is the service's loss, and what it gave more its gain
    const given = done.received.units
    const kept =
      quote === null ? given : given < quote.floor ? quote.floor : given > quote.received ? quote.received : given
    own.add(done.received.currency, kept)
    earned.add(done.received.currency, given - kept)
    if (done.fee !== null) earned.add(done.fee.currency, -done.fee.units)
  }
  countTransfers(world, purses, carried)
}

/** A float shows what is in a purse, and nothing of it is held. */
export const judgeShown = (
  currencies: World["currencies"],
  float: Told["float"],
  purse: Purse
): ReadonlyArray<string> => {
  const shown = new Map(float.map((one) => [one.total.currency, one]))
  return [...new Set([...purse.currencies(), ...shown.keys()])].flatMap((currency) => {
    const decimals = currencies.byCode(currency)?.decimals ?? 0
    const one = shown.get(currency)
    const [total, held] = [one?.total, one?.held].map((money) => unitsOf(money?.amount ?? "0", decimals))
    return [
      ...(total === purse.has(currency)
        ? []
        : [`the float shows ${total} ${currency}, the model ${purse.has(currency)}`]),
      ...(held === 0n ? [] : [`${held} ${currency} are held though all is over`])
    ]
  })
}

/** What a partner has is what it was given and what came, less what went and its fees; and the fees are what the service has earned. */
const judgeFloat = (world: World, told: Told, carried: ReadonlyArray<Carried>): ReadonlyArray<string> => {
  const { chain, config, currencies, records } = world
  const { float, partner } = told
  const [purse, earned] = [purseOf(partner.endowed), purseOf(new Map())]
  const [served, own] = [new Set(partner.addresses), new Set(partner.ownAddresses)]
  for (const { from, hash, payments, reverted } of chain.mined()) {
    // what it moves by itself was counted when it came there
    if (reverted || records.movedByPartners.has(hash)) continue
    for (const { contract, to, units } of payments) {
      const currency = currencies.byAsset(config.network, contract)?.code
      // what its wallets give to an address of the service is there for fees
      const isIncome = own.has(to) || (served.has(to) && !partner.wallets.includes(from))
      if (isIncome && currency !== undefined) purse.add(currency, units)
    }
  }
  countCarried(world, { own: purse, earned }, carried)
  return [...judgeShown(currencies, float, purse), ...judgeEarnings(world, told, carried, earned)]
}

/** What the books say of a place is what is there. */
const judgePlaces = (world: World, told: ReadonlyArray<Told>): ReadonlyArray<string> => {
  const { assets, bank, chain, config, currencies, exchange } = world
  const codes = new Set([assets.coin, "USDT_ETH", "USDC_ETH", "EUR", "USD", ...assets.withdrawn])
  const differs = (place: string, currency: string, books: bigint, there: bigint) =>
    books === there ? [] : [`the books have ${books} ${currency} ${place}, and there are ${there}`]
  return [...codes].flatMap((currency) => {
    const of = currencies.byCode(currency)
    const asset = of?.asset?.network === config.network ? of.asset : null
    const contract = asset?.contract ?? null
    const onChain = told.flatMap((one) => {
      const { partner } = one
      return asset === null
        ? []
        : [
            ...differs(
              `in the wallets of partner ${partner.index}`,
              currency,
              booked(world, one, `chain:${config.network}:payouts`, currency),
              partner.wallets.reduce((sum, wallet) => sum + chain.holds(wallet, contract), 0n)
            ),
            ...differs(
              `on the addresses of partner ${partner.index}`,
              currency,
              booked(world, one, `chain:${config.network}:deposits`, currency),
              partner.addresses.reduce((sum, address) => sum + chain.holds(address, contract), 0n)
            ),
            ...differs(
              `on addresses of partner ${partner.index}'s own`,
              currency,
              booked(world, one, `chain:${config.network}:tenant`, currency),
              partner.ownAddresses.reduce((sum, address) => sum + chain.holds(address, contract), 0n)
            )
          ]
    })
    const inAll = (account: string) => told.reduce((sum, one) => sum + booked(world, one, account, currency), 0n)
    return [
      ...onChain,
      ...differs("at the custodian", currency, inAll("custodian"), exchange.holds(currency)),
      ...differs("at the bank", currency, inAll("bank"), bank.holds(currency))
    ]
  })
}

/** Nothing is lost, invented or doubled, and the books say of the world what is true. */
export const judgeMoney = (
  world: World,
  told: ReadonlyArray<Told>,
  carried: ReadonlyArray<ReadonlyArray<Carried>>
): ReadonlyArray<string> => [
  ...told.flatMap((one, index) => {
    const own = carried[index] ?? []
    return [
      ...judgePayouts(world, one, own),
      ...judgeCustody(world, own),
      ...judgeTransfers(world, own),
      ...judgeFloat(world, one, own),
      ...judgeAccounts(world, one, own)
    ]
  }),
  ...judgeRefunds(world),
  ...judgePlaces(world, told)
]
