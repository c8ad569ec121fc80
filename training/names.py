"""First names for training speakers. None of them is a speaker of an evaluation set; `data.py` checks that again."""

FIRST_NAMES = """
Abigail Adele Adrian Agnes Ahmed Aiden Aisha Alberto Alejandra Alexis Alfred Alina Alistair Alma Amara Amir Amy Anastasia
Andre Angelica Anika Annabel Anton Aria Arjun Arlo Arthur Astrid Aurora Austin Ava Bart Beatrice Benedict Bernard
Bianca Blake Bonnie Boris Brandon Brenda Brianna Bridget Bruno Bryce Callum Camille Carla Carmen Casper Cecilia Cedric Celeste
Chandra Charlotte Chloe Clara Claude Clement Colette Connor Cora Corinne Cyrus Dahlia Dalia Damian Daphne Darius Deepak Delia
Denise Derek Desmond Diana Dimitri Dolores Dominic Dorothy Duncan Edith Edmund Edwin Eileen Eleanor Elias Elise Eloise
Elsa Emil Emmett Enrique Erica Ernest Esme Esteban Esther Ethel Eugene Eva Ezra Fabian Faith Felicia Felix Fergus Fiona
Flora Florence Floyd Francesca Francis Freya Gareth Gemma Genevieve Gerald Gianna Gideon Gilbert Giovanni Gloria Graham Greta
Gus Gwen Hadley Hamish Harriet Harvey Hassan Hazel Hector Heidi Helen Henrik Herman Hilda Hiroshi Holly Homer Horace Hugo
Ibrahim Ida Ignacio Imogen Ingrid Iris Irma Isaac Isabel Ishaan Ivan Ivy Jada Jasper Javier Jerome Joaquin
Jocelyn Josephine Juan Judith Julian Juliet June Kamal Kareem Karina Katrina Keiko Kendra Kirsten Klaus Kofi Kyle Lara Lars
Latoya Leila Lena Leon Leopold Leroy Lila Linus Lionel Lorenzo Lottie Lucia Lucille Luis Luther Lydia Mabel Maeve
Magnus Malcolm Malik Manuel Marcel Margot Marina Marisol Marlene Martha Marvin Matilda Maurice Maxine Mei Mercedes Mildred
Milo Minerva Miriam Mohammed Mona Morgan Muriel Myra Nadia Naomi Natasha Neville Nia Nigel Nikolai Nina Noemi Nora
Norbert Olga Olive Omar Opal Ophelia Orlando Oscar Otis Paloma Pascal Patricia Pearl Pedro Penelope Percy Petra Philippa
Phoebe Pierre Piper Preston Priya Quentin Quincy Rafael Ramona Raj Ramon Raquel Raul Reggie Regina Renee
Rhonda Ricardo Rita Roberta Roderick Rohan Roland Rosa Rosalind Rowan Roxanne Ruben Rufus Rupert Ruth Sabrina Salma Salvador
Samir Sanjay Saskia Selena Serena Sergio Seth Shirley Sienna Sigrid Silas Simone Solomon Sonia Soren Stella Sven Sybil
Sylvia Tabitha Tamara Tariq Tatiana Terrence Thea Thelma Theodore Tobias Trevor Tristan Uma Ursula Valentina Valerie Vera
Vernon Veronica Victor Vincent Viola Violet Virgil Vivian Wallace Wanda Warren Wendell Wendy Wilfred Willa Winston Xavier Yara
Yasmin Yolanda Yusuf Yvonne Zachary Zara Zelda Zoe
""".split()
