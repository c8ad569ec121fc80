import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { Icon } from './icon.tsx'

interface DialogProps {
  readonly title: string
  readonly close: () => void
  readonly children: ComponentChildren
}

/** Uses the browser's dialog element, which traps the focus, restores it, and closes on Escape. */
export function Dialog({ title, close, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  useEffect(() => {
    const dialog = element.current
    dialog?.showModal()
    return () => dialog?.close()
  }, [])
  return (
    <dialog ref={element} class="dialog" aria-labelledby={titleId} onCancel={close} onClose={close}>
      <div class="dialog-head">
        <h2 id={titleId}>{title}</h2>
        <button type="button" class="button plain" onClick={close} aria-label="Close">
          <Icon name="close" />
        </button>
      </div>
      {children}
    </dialog>
  )
}

interface ConfirmProps {
  readonly title: string
  readonly children: ComponentChildren
  /** Label of the button: a verb, not "OK". */
  readonly action: string
  readonly busy?: boolean
  readonly confirm: () => void
  readonly close: () => void
}

/** Shown before anything that can't be undone. */
export function Confirm({ title, children, action, busy = false, confirm, close }: ConfirmProps) {
  return (
    <Dialog title={title} close={close}>
      {children}
      <p class="row end">
        <button type="button" class="button" onClick={close}>
          Cancel
        </button>
        <button type="button" class="button danger" onClick={confirm} disabled={busy}>
          {action}
        </button>
      </p>
    </Dialog>
  )
}
