import { type SeriesSpan, seriesSpans } from "@bursar/api/operator/OperatorSeries"
import { useMemo, useState } from "react"
import { useRead } from "../api/hooks.ts"
import { useSeries } from "../api/series.ts"
import { Plot } from "../plot/Plot.tsx"
import { linesOf, stepsOf } from "../plot/steps.ts"
import { Loaded } from "../ui/Loaded.tsx"
import { Failed } from "../ui/Notice.tsx"
import { Pick } from "../ui/Pick.tsx"

const Drawn = ({ id, span }: { readonly id: string; readonly span: SeriesSpan }) => {
  const series = useSeries(["balances", id, span], (api) =>
    api.series.balances({ params: { tenant_id: id }, query: { span } })
  )
  const [chosen, choose] = useState("")
  const currencies = [...new Set(series.data?.points.map(({ balance }) => balance.currency))].toSorted()
  const currency = currencies.includes(chosen) ? chosen : (currencies[0] ?? "")
  const drawn = useMemo(() => {
    const times = series.data === undefined ? [] : stepsOf(series.data)
    const points = (series.data?.points ?? []).filter(({ balance }) => balance.currency === currency)
    const lines = linesOf(times, points, {
      labelOf: ({ balance }) => balance.currency,
      valueOf: ([point]) => ({ value: Number(point?.balance.amount ?? 0), text: point?.balance.amount ?? "0" })
    })
    return { times, lines }
  }, [series.data, currency])
  return (
    <Loaded of={series}>
      {() => (
        <>
          {currencies.length > 1 ? <Pick label="Currency" value={currency} of={currencies} choose={choose} /> : null}
          <Plot
            title={`Balance${currency === "" ? "" : ` in ${currency}`}, available and held`}
            times={drawn.times}
            lines={drawn.lines}
          />
        </>
      )}
    </Loaded>
  )
}

/** What a tenant had over time, a currency at a time: no two have a scale in common. */
export const BalancesOverTime = () => {
  const tenants = useRead(["tenants"], (api) => api.tenants.list())
  const all = tenants.data?.tenants ?? []
  const [chosen, choose] = useState("")
  const [span, setSpan] = useState<SeriesSpan>("month")
  const id = all.find((tenant) => tenant.id === chosen)?.id ?? all[0]?.id
  if (id === undefined) return tenants.error === null ? null : <Failed error={tenants.error} />
  return (
    <>
      <div className="head">
        <h2>Over time</h2>
        <div className="filters">
          <Pick
            label="Tenant"
            value={id}
            of={all.map((tenant) => tenant.id)}
            titleOf={(one) => all.find((tenant) => tenant.id === one)?.slug ?? one}
            choose={choose}
          />
          <Pick
            label="Span"
            value={span}
            of={seriesSpans}
            choose={(next) => setSpan(seriesSpans.find((one) => one === next) ?? "month")}
          />
        </div>
      </div>
      <Drawn key={id} id={id} span={span} />
    </>
  )
}
