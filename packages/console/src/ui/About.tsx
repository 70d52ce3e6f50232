import { createContext, type ReactNode, useContext } from "react"
import { Facts } from "./Facts.tsx"
import { Shown } from "./Shown.tsx"

type Told = ReadonlyArray<readonly [name: string, value: ReactNode]>

const Subject = createContext<Told>([])

/** Has each dialog that is opened inside say what it is about, such as the tenant: a dialog covers the page, and its rows have the same buttons. */
export const About = ({ children, of }: { readonly of: Told; readonly children: ReactNode }) => {
  const around = useContext(Subject)
  return <Subject value={[...around, ...of]}>{children}</Subject>
}

/** What a dialog that is opened here tells first: what it is about, then what it does. */
export const useToldAbout = (preview: ReactNode): ReactNode => {
  const subject = useContext(Subject)
  const shown = <Shown>{preview}</Shown>
  return subject.length === 0 ? (
    shown
  ) : (
    <div className="stack">
      <Facts of={subject} />
      <div>{shown}</div>
    </div>
  )
}
