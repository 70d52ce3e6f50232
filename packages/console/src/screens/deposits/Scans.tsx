import { useState } from "react"
import type { OperatorScan } from "@bursar/api/operator/OperatorScan"
import { useRead } from "../../api/hooks.ts"
import { About } from "../../ui/About.tsx"
import { Action } from "../../ui/Action.tsx"
import { Card } from "../../ui/Card.tsx"
import { Copied } from "../../ui/Copied.tsx"
import { Loaded } from "../../ui/Loaded.tsx"
import { emptyPage, Pager } from "../../ui/Pager.tsx"
import { Rows } from "../../ui/Rows.tsx"
import { TenantLink } from "../../ui/TenantLink.tsx"
import { Time } from "../../ui/Time.tsx"

const HowFar = ({ from_block: from, last_block: last, next_block: next }: OperatorScan) =>
  next === null || last === null ? (
    "not begun"
  ) : (
    <>
      {from === null ? null : (
        <progress aria-label="How far it is" value={Math.max(0, next - from)} max={Math.max(1, last - from + 1)} />
      )}{" "}
      block {next} of {last}
    </>
  )

const End = ({ scan }: { readonly scan: OperatorScan }) => (
  <About of={[["Tenant", <TenantLink id={scan.tenant_id} />]]}>
    <Action
      label="End"
      tone="danger"
      preview={`This reading of ${scan.network} is tried no more. ${scan.next_block === null ? "None of its blocks" : `None of its blocks from ${scan.next_block} to ${scan.last_block}`} is read for ${scan.addresses.join(", ")}: what arrived there stays unknown until somebody starts another reading.`}
      ask={[{ name: "reason", label: "Why" }]}
      does="addresses.endScan"
      act={({ reason = "" }) =>
        (ask) =>
          ask({
            params: { tenant_id: scan.tenant_id, scan_id: scan.id },
            payload: { reason, next_block: scan.next_block }
          })
        }
    />
  </About>
)

/** Readings of the past that are not finished. */
export const Scans = () => {
  const [after, setAfter] = useState<string | undefined>()
  const found = useRead(["scans", after], (api) =>
    api.addresses.scans({ query: { limit: 100, ...(after !== undefined && { cursor: after }) } })
  )
  return (
    <Card title="Readings of the past">
      <Loaded of={found}>
        {({ next_cursor: next, scans }) => (
          <>
            <Rows
              label="Readings of the past"
              rows={scans}
              keyOf={({ id }) => id}
              empty={emptyPage(after, "Nothing of the past is being read.")}
              columns={[
                { title: "Asked for", of: ({ created_at: at }) => <Time at={at} /> },
                { title: "Network", of: ({ network }) => network },
                { title: "Addresses", of: ({ addresses }) => <Copied text={addresses.join(" ")} short /> },
                { title: "How far", of: (scan) => <HowFar {...scan} /> },
                { title: "Problem", kind: "wrap", of: ({ problem }) => problem ?? "" },
                // one that goes on would have gone on before anybody has confirmed
                { title: "", of: (scan) => (scan.problem === null ? null : <End scan={scan} />) }
              ]}
            />
            <Pager next={next} after={after} go={setAfter} />
          </>
        )}
      </Loaded>
    </Card>
  )
}
