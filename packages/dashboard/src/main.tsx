import { render } from 'preact'
import { App } from './app.tsx'
import { discover } from './connection.ts'
import './styles/base.css'
import './styles/layout.css'
import './styles/parts.css'
import './styles/time.css'

const root = document.getElementById('app')
if (root === null) throw new Error('The page has no #app element')
render(<App />, root)
void discover()
