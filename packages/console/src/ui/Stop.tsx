import { Facts } from "./Facts.tsx"
import { Foreign } from "./Foreign.tsx"
import { Time } from "./Time.tsx"

/** A stop that somebody is about to end: why it was given, by whom and when. */
export const Stop = ({
  at,
  by,
  reason
}: {
  readonly reason: string
  readonly by: string | null
  readonly at: string | null
}) => (
  <Facts
    of={[
      ["Stopped because", <Foreign text={reason} />],
      ["By", by === null ? null : <Foreign text={by} />],
      ["Since", at === null ? null : <Time at={at} />]
    ]}
  />
)
