pakcage shop

improt data.items

defualt open := true
