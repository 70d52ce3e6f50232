import type { Environment } from "@bursar/core/base/Environment"
import { makeCurrencyTable } from "@bursar/core/money/Currency"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { inEnvironments } from "@bursar/core/money/Network"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { Custodian } from "@bursar/core/port/Custodian"
import { FiatProvider } from "@bursar/core/port/FiatProvider"
import { IdentityProvider } from "@bursar/core/port/IdentityProvider"
import { Prices } from "@bursar/core/port/Prices"
import type { State } from "@bursar/memory"
import { makeFakeChain } from "@bursar/testkit/fixtures/FakeChain"
import { makeFakeCustodian } from "@bursar/testkit/fixtures/FakeCustodian"
import { makeFakeFiat } from "@bursar/testkit/fixtures/FakeFiat"
import { makeFakeIdentity } from "@bursar/testkit/fixtures/FakeIdentity"
import { layerFakeNetworks } from "@bursar/testkit/fixtures/FakeNetwork"
import { makeFakeSender } from "@bursar/testkit/fixtures/FakeSender"
import { Clock, Effect, Layer } from "effect"
import { cuttable, guarded, type Outside } from "./Outside.ts"
import { portsOver } from "./Partner.ts"
import { testNetwork } from "./TestPorts.ts"

const one = { units: 1n, decimals: 0 }

const prices = Layer.succeed(
  Prices,
  Prices.of({
    usd: () => Effect.map(Clock.currentTimeMillis, (observedAt) => ({ price: one, source: "test", observedAt })),
    rate: () => Effect.map(Clock.currentTimeMillis, (observedAt) => ({ price: one, source: "test", observedAt }))
  })
)

/** The currencies of a service whose networks are all of one environment. */
export const currenciesIn = (environment: Environment) =>
  makeCurrencyTable(
    defaultCurrencies.all,
    inEnvironments(presetNetworks, new Map(presetNetworks.all.map(({ name }) => [name, environment])))
  )

/** A service whose networks and providers are all of one environment; what is called of them while they are cut off is noted. */
export const portsIn = (environment: Environment, outside: Outside) => (state: State) => {
  const { networks } = currenciesIn(environment)
  const custodian = makeFakeCustodian(
    () => ({ order: "settled", unreadable: 0, pending: 0, end: "settled" }),
    [{ from: "USDC_BASE", to: "ETH", minimum: null, step: null }],
    undefined,
    "fake",
    environment
  )
  const real = Layer.mergeAll(
    portsOver(state),
    prices,
    custodian.layer,
    Layer.succeed(
      FiatProvider,
      makeFakeFiat(() => ({ order: "told", unreadable: 0, course: [] }), "fake", environment).provider
    ),
    Layer.succeed(IdentityProvider, makeFakeIdentity(environment).provider),
    layerFakeNetworks(
      ["ethereum", "base"].map((network) =>
        testNetwork(network, {
          traits: networks.of(network),
          sender: guarded(`${network}.sender`, makeFakeSender({ network }).sender, outside),
          reader: guarded(`${network}.reader`, makeFakeChain({ network }).reader, outside)
        })
      )
    )
  )
  return Layer.mergeAll(
    cuttable(Custodian, outside),
    cuttable(FiatProvider, outside),
    cuttable(IdentityProvider, outside)
  ).pipe(Layer.provideMerge(real))
}
