import type { OperatorScan } from "@bursar/api/operator/OperatorScan"
import { useRead } from "../../api/hooks.ts"
import { Card } from "../../ui/Card.tsx"
import { Copied } from "../../ui/Copied.tsx"
import { Loaded } from "../../ui/Loaded.tsx"
import { Rows } from "../../ui/Rows.tsx"
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

/** Readings of the past that are not finished. */
export const Scans = () => {
  const found = useRead(["scans"], (api) => api.addresses.scans())
  return (
    <Card title="Readings of the past">
      <Loaded of={found}>
        {({ scans }) => (
          <Rows
            label="Readings of the past"
            rows={scans}
            keyOf={({ id }) => id}
            empty="Nothing of the past is being read."
            columns={[
              { title: "Asked for", of: ({ created_at: at }) => <Time at={at} /> },
              { title: "Network", of: ({ network }) => network },
              { title: "Addresses", of: ({ addresses }) => <Copied text={addresses.join(" ")} short /> },
              { title: "How far", of: (scan) => <HowFar {...scan} /> },
              { title: "Problem", kind: "wrap", of: ({ problem }) => problem ?? "" }
            ]}
          />
        )}
      </Loaded>
    </Card>
  )
}
