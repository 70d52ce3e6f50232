import { type SeriesSpan, seriesSpans } from "@bursar/api/operator/OperatorSeries"
import { useMemo, useState } from "react"
import { useRead } from "../api/hooks.ts"
import { useSeries } from "../api/series.ts"
import { Plot } from "../plot/Plot.tsx"
import { shortTime } from "../plot/duration.ts"
import { linesOf, stepsOf } from "../plot/steps.ts"
import { amountLines, countLines, successLines } from "../plot/volumeLines.ts"
import { Loaded } from "../ui/Loaded.tsx"
import { Pick } from "../ui/Pick.tsx"

type Asked = { readonly span: SeriesSpan; readonly tenant_id?: string }

const Volume = ({ query }: { readonly query: Asked }) => {
  const series = useSeries(["volume", query], (api) => api.series.volume({ query }))
  const [chosen, choose] = useState("")
  const currencies = [...new Set(series.data?.points.map(({ amount }) => amount.currency))].toSorted()
  const currency = currencies.includes(chosen) ? chosen : (currencies[0] ?? "")
  const drawn = useMemo(() => {
    const times = series.data === undefined ? [] : stepsOf(series.data)
    const points = series.data?.points ?? []
    return {
      times,
      counts: countLines(times, points),
      success: successLines(times, points),
      amounts: amountLines(times, points, currency)
    }
  }, [series.data, currency])
  return (
    <Loaded of={series}>
      {() => (
        <>
          <Plot title="Operations accepted, and what became of them" times={drawn.times} lines={drawn.counts} />
          <Plot
            title="Settled, of those that ended, in percent"
            times={drawn.times}
            lines={drawn.success}
            show={(value) => `${Math.round(value)} %`}
          />
          <div className="stack">
            {currencies.length > 1 ? (
              <Pick label="Currency of the volume" value={currency} of={currencies} choose={choose} />
            ) : null}
            <Plot
              title={`Volume${currency === "" ? "" : ` in ${currency}`}`}
              times={drawn.times}
              lines={drawn.amounts}
            />
          </div>
        </>
      )}
    </Loaded>
  )
}

const Times = ({ query }: { readonly query: Asked }) => {
  const series = useSeries(["times", query], (api) => api.series.times({ query }))
  const drawn = useMemo(() => {
    if (series.data === undefined) return { times: [], settlement: [], confirmation: [] }
    const times = stepsOf(series.data)
    const text = (ms: number) => ({ value: ms, text: shortTime(ms) })
    return {
      times,
      settlement: linesOf(times, series.data.settlement, {
        labelOf: ({ kind }) => kind,
        valueOf: ([point]) => text(point?.median_ms ?? 0)
      }),
      confirmation: linesOf(times, series.data.confirmation, {
        labelOf: ({ network }) => network,
        valueOf: ([point]) => text(point?.p95_ms ?? 0)
      })
    }
  }, [series.data])
  return (
    <Loaded of={series}>
      {() => (
        <>
          <Plot
            title="Time to settlement, the middle one"
            times={drawn.times}
            lines={drawn.settlement}
            show={shortTime}
          />
          <Plot
            title="Time to a deposit’s confirmation, 95 of 100"
            times={drawn.times}
            lines={drawn.confirmation}
            show={shortTime}
          />
        </>
      )}
    </Loaded>
  )
}

const Networks = ({ query }: { readonly query: Asked }) => {
  const series = useSeries(["networks", query], (api) => api.series.networks({ query }))
  const drawn = useMemo(() => {
    if (series.data === undefined) return { times: [], fees: [], lag: [] }
    const times = stepsOf(series.data)
    return {
      times,
      fees: linesOf(times, series.data.fees, {
        labelOf: ({ fee, network }) => `${network}, ${fee.currency}`,
        valueOf: ([point]) => ({ value: Number(point?.fee.amount ?? 0), text: point?.fee.amount ?? "0" })
      }),
      lag: linesOf(times, series.data.lag, {
        labelOf: ({ network }) => network,
        valueOf: ([point]) => ({ value: point?.blocks ?? 0 })
      })
    }
  }, [series.data])
  return (
    <Loaded of={series}>
      {() => (
        <>
          <Plot title="What networks took for operations" times={drawn.times} lines={drawn.fees} />
          <Plot title="Blocks behind, at most" times={drawn.times} lines={drawn.lag} />
        </>
      )}
    </Loaded>
  )
}

/** What happened over time: volume, success, times, fees of networks and their lag. */
export const OverTime = () => {
  const [span, setSpan] = useState<SeriesSpan>("day")
  const [tenant, setTenant] = useState("")
  const tenants = useRead(["tenants"], (api) => api.tenants.list())
  const query = useMemo(() => ({ span, ...(tenant !== "" && { tenant_id: tenant }) }), [span, tenant])
  return (
    <>
      <div className="head">
        <h2>Over time</h2>
        <div className="filters">
          <Pick
            label="Span"
            value={span}
            of={seriesSpans}
            choose={(next) => setSpan(seriesSpans.find((one) => one === next) ?? "day")}
          />
          <Pick
            label="Tenant"
            value={tenant}
            of={["", ...(tenants.data?.tenants ?? []).map(({ id }) => id)]}
            titleOf={(id) => tenants.data?.tenants.find((one) => one.id === id)?.slug ?? "all"}
            choose={setTenant}
          />
        </div>
      </div>
      <div className="plots">
        <Volume query={query} />
        <Times query={query} />
        <Networks query={query} />
      </div>
    </>
  )
}
