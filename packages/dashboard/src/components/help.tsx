import { helpOpen, shortcuts } from '../shortcuts.ts'
import { Dialog } from './dialog.tsx'

export function Help() {
  if (!helpOpen.value) return null
  return (
    <Dialog title="Keyboard shortcuts" close={() => (helpOpen.value = false)}>
      <dl class="shortcuts">
        {shortcuts.map(({ keys, what }) => (
          <div key={keys}>
            <dt>
              {keys.split(' ').map((key, index) => (
                <kbd key={index}>{key}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <p class="quiet small">Shortcuts are off while you type in a field.</p>
    </Dialog>
  )
}
