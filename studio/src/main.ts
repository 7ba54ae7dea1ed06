/** The studio. */

import { mount } from 'svelte'
import App from './App.svelte'
import './page.css'

const target = document.getElementById('page')
if (target !== null) mount(App, { target })
