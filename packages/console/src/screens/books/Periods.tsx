import type { OperatorPeriod } from "@bursar/api/operator/OperatorBooks"
import type { Effect, Stream } from "effect"
import type { ReactNode } from "react"
import type { Api } from "../../api/client.ts"
import { useRead } from "../../api/hooks.ts"
import { About } from "../../ui/About.tsx"
import { Action } from "../../ui/Action.tsx"
import { Card } from "../../ui/Card.tsx"
import { Copied } from "../../ui/Copied.tsx"
import { Loaded } from "../../ui/Loaded.tsx"
import { SaveButton } from "../../ui/SaveButton.tsx"
import { Rows } from "../../ui/Rows.tsx"
import { Time } from "../../ui/Time.tsx"

interface Report {
  readonly ok: boolean
  readonly problem: string | null
}

interface PeriodsProps<E> {
  readonly title: string
  readonly name: string
  readonly list: (api: Api) => Effect.Effect<{ readonly periods: ReadonlyArray<OperatorPeriod> }, E>
  /** The action that closes the month that is asked for. */
  readonly closing: ReactNode
  /** The action that verifies a month. */
  readonly verifying: (period: string) => ReactNode
  readonly statement: (
    period: string,
    format: "csv" | "pdf"
  ) => (api: Api) => Effect.Effect<Stream.Stream<Uint8Array, unknown>, unknown>
}

const closeTexts = {
  label: "Close a month",
  preview:
    "Its statement is fixed for good, and its digests go into the audit log. Months are closed one after the other.",
  ask: [{ name: "period", label: "Month, such as 2026-10" }]
} as const

const verifyTexts = {
  label: "Verify",
  preview: "The statement is made anew from the ledger and compared with what was fixed. Nothing changes.",
  done: ({ ok, problem }: Report) => (ok ? "It is what was fixed." : `It does not hold: ${problem ?? ""}`)
} as const

/** Months whose statements are fixed, and closing the next. */
const Periods = <E,>({ closing, list, name, statement, title, verifying }: PeriodsProps<E>) => {
  const found = useRead(["periods", name], list)
  return (
    <Card title={title}>
      <div className="stack">
        <div className="actions">{closing}</div>
        <Loaded of={found}>
          {({ periods }) => (
            <Rows
              label={title}
              rows={periods.toReversed()}
              keyOf={({ period }) => period}
              empty="No month is closed yet."
              columns={[
                { title: "Month", of: ({ period }) => period },
                { title: "Closed", of: ({ closed_at: at }) => <Time at={at} /> },
                { title: "By", of: ({ closed_by: by }) => by },
                { title: "Through posting", kind: "amount", of: ({ through_posting: through }) => through },
                { title: "CSV", of: ({ csv_sha256: digest }) => <Copied text={digest} short /> },
                { title: "PDF", of: ({ pdf_sha256: digest }) => <Copied text={digest} short /> },
                {
                  title: "",
                  of: ({ period }) => (
                    <About of={[["Month", period]]}>
                      <div className="actions">
                        {(["csv", "pdf"] as const).map((format) => (
                          <SaveButton
                            key={format}
                            label={`Statement as ${format.toUpperCase()}`}
                            name={`${name}-${period}.${format}`}
                            type={format === "pdf" ? "application/pdf" : "text/csv"}
                            bytes={statement(period, format)}
                          />
                        ))}
                        {verifying(period)}
                      </div>
                    </About>
                  )
                }
              ]}
            />
          )}
        </Loaded>
      </div>
    </Card>
  )
}

/** The months of all tenants together. */
export const ServicePeriods = () => (
  <About of={[["Of", "the whole service, with all tenants"]]}>
    <Periods
      title="Months of the service"
      name="service"
      list={(api) => api.books.servicePeriods()}
      closing={
        <Action
          {...closeTexts}
          does="books.closeService"
          act={({ period = "" }) =>
            (ask) =>
              ask({ params: { period } })
            }
        />
      }
      verifying={(period) => (
        <Action {...verifyTexts} does="books.verifyService" act={() => (ask) => ask({ params: { period } })} />
      )}
      statement={(period, format) => (api) => api.books.serviceStatement({ params: { period }, query: { format } })}
    />
  </About>
)

/** The months of one tenant. */
export const TenantPeriods = ({ id }: { readonly id: string }) => (
  <Periods
    title="Months"
    name={id}
    list={(api) => api.books.periods({ params: { tenant_id: id } })}
    closing={
      <Action
        {...closeTexts}
        does="books.close"
        act={({ period = "" }) =>
          (ask) =>
            ask({ params: { tenant_id: id, period } })
          }
      />
    }
    verifying={(period) => (
      <Action {...verifyTexts} does="books.verify" act={() => (ask) => ask({ params: { tenant_id: id, period } })} />
    )}
    statement={(period, format) => (api) =>
      api.books.statement({ params: { tenant_id: id, period }, query: { format } })
    }
  />
)
